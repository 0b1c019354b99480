#pragma once

// Histories made by hand, good ones to begin with.

#include "tests/simulation/checker.hpp"

#include <set>
#include <string>
#include <utility>

namespace depositd::simulation {

/// One shard, one queue "q"; every call adds what would happen.
class tale {
public:
  history told;
  micros now_us = 1000;
  epoch_number epoch = 1;

  void add(fact what) {
    told.add(now_us, std::move(what));
  }

  void write(const std::string& user, event what) {
    add(journalled{0, epoch, ++seq_, user, std::move(what)});
  }

  /// Attempted, kept, and acknowledged if `tell`.
  item_id deposit(const std::string& user, bool tell = true) {
    const auto id = ++ids_;
    const auto body = "body-" + std::to_string(id);
    add(attempted{body, "q", user});
    enqueue(id, user, body);
    if (tell)
      add(acknowledged{body, id});
    return id;
  }

  void enqueue(item_id id, const std::string& user, const std::string& body) {
    item_enqueued x;
    x.id = id;
    x.queue = "q";
    x.body = body;
    write(user, x);
  }

  item_claimed a_claim(item_id id, claim_token token,
                       std::uint32_t attempt = 1) const {
    item_claimed x;
    x.id = id;
    x.queue = "q";
    x.token = token;
    x.attempt = attempt;
    x.claimed_us = now_us;
    x.stamp = 1;
    x.local = true;
    return x;
  }

  handed_out a_hand_out(item_id id, claim_token token,
                        const std::string& user) const {
    return {1, "q", id, token, 1, user, "body-" + std::to_string(id)};
  }

  /// Claimed and handed to processor 1.
  void hand_out(item_id id, claim_token token, const std::string& user,
                std::uint32_t attempt = 1) {
    write(user, a_claim(id, token, attempt));
    auto x = a_hand_out(id, token, user);
    x.attempt = attempt;
    add(x);
  }

  item_released a_release(item_id id, std::uint32_t attempt) const {
    item_released x;
    x.id = id;
    x.queue = "q";
    x.attempt = attempt;
    return x;
  }

  item_finished an_end(item_id id) const {
    item_finished x;
    x.id = id;
    x.queue = "q";
    return x;
  }

  void finish(item_id id, claim_token token, const std::string& user) {
    add(reported{1, id, token, verdict::done});
    write(user, an_end(id));
    add(settled{1, id, true});
  }

  void set_cap(const std::string& user, std::uint32_t cap) {
    user_limits_changed x;
    x.queue = "q";
    x.user = user;
    x.has_concurrency = true;
    x.concurrency = cap;
    write("", x);
  }

  /// The records so far are durable, with these marks.
  void flush(std::vector<watermark> watermarks = {}) {
    add(group_written{0, epoch, seq_, std::move(watermarks)});
  }

  /// Names of the invariants that are broken.
  std::set<std::string> broken() const {
    std::set<std::string> out;
    for (const auto& x : check(told))
      out.insert(x.invariant);
    return out;
  }

private:
  item_id ids_ = 0;
  sequence seq_ = 0;
};

/// Of which the judge has nothing to say.
inline tale a_good_life() {
  tale x;
  x.add(processor_joined{1, "q", {}, 2});
  x.set_cap("a", 1);
  x.now_us += 1; // at the same moment the old cap would still be meant
  const auto first = x.deposit("a");
  const auto second = x.deposit("b");
  x.add(attempted{"never answered", "q", "a"});
  x.hand_out(first, 1, "a");
  x.hand_out(second, 1, "b");
  x.finish(first, 1, "a");
  x.add(reported{1, second, 1, verdict::not_yet});
  x.write("b", x.a_release(second, 0));
  x.add(settled{1, second, true});
  x.hand_out(second, 2, "b");
  x.write("b", x.a_release(second, 1)); // its processor died
  x.hand_out(second, 3, "b", 2);
  x.finish(second, 3, "b");
  x.add(reported{1, second, 2, verdict::done});
  x.add(settled{1, second, false});
  x.flush();
  return x;
}

} // namespace depositd::simulation
