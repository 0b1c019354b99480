#pragma once

// What doors say whose workers poll, in short.

#include "messages/projection.hpp"
#include "tests/support/engine_fixture.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace depositd::testing {

class polling_fixture : public engine_fixture {
protected:
  using strings = std::vector<std::string>;

  /// Bodies of one user, to be sent as they are.
  static std::vector<new_item> sent_by(const std::string& user,
                                       const strings& bodies) {
    std::vector<new_item> out;
    for (const auto& x : bodies)
      out.push_back({user, 0, x});
    return out;
  }

  std::vector<received_item> poll(const std::string& queue,
                                  std::uint32_t count = 100,
                                  std::uint32_t lease_ms = 30'000,
                                  std::uint32_t claims_max = no_cap) {
    auto out = ask<items_received>(
      core, receive_items{queue, "worker", count, lease_ms, claims_max});
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? out->items : std::vector<received_item>{};
  }

  static strings bodies_of(const std::vector<received_item>& items) {
    strings out;
    for (const auto& x : items)
      out.push_back(*x.body);
    std::sort(out.begin(), out.end());
    return out;
  }

  /// Polls, and returns the bodies sorted.
  strings polled(const std::string& queue, std::uint32_t count = 100,
                 std::uint32_t lease_ms = 30'000) {
    return bodies_of(poll(queue, count, lease_ms));
  }

  static std::vector<item_name>
  names_of(const std::vector<received_item>& items) {
    std::vector<item_name> out;
    for (const auto& x : items)
      out.push_back(x.name);
    return out;
  }

  static item_name name_of(item_id id, const std::string& user) {
    return {id, digest_of_user(user)};
  }

  std::vector<std::uint8_t> finish(const std::string& queue,
                                   const std::vector<item_name>& names,
                                   verdict says = verdict::done,
                                   std::uint32_t delay_ms = 0) {
    settle_items what;
    what.queue = queue;
    for (const auto& name : names)
      what.items.push_back({name, says, delay_ms, "", "", ""});
    auto out = ask<items_settled>(core, what);
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? out->accepted : std::vector<std::uint8_t>{};
  }

  void renew(const std::string& queue, const std::vector<item_name>& names,
             std::uint32_t lease_ms) {
    EXPECT_TRUE(ask<done>(core, renew_items{queue, "worker", lease_ms, names}));
  }

  queue_counted counted(const std::string& queue) {
    auto out = ask<queue_counted>(core, count_queue{queue});
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? *out : queue_counted{};
  }

  std::uint64_t size(const std::string& queue) {
    return counted(queue).items;
  }

  std::uint64_t claims(const std::string& queue) {
    return counted(queue).claims;
  }

  std::size_t peeked(const std::string& queue) {
    peek_items what;
    what.queue = queue;
    what.count_max = 1000;
    auto out = ask<items_found>(read_model, what);
    EXPECT_TRUE(out);
    return out ? out->rows.size() : 0;
  }

  void purge(const std::string& queue) {
    EXPECT_TRUE(ask<done>(core, purge_queue{queue}));
  }

  void restart() {
    crash();
    start();
  }

  /// Moves, and lets everything run; the reference, empty if refused.
  std::string move(const std::string& from, const std::string& to) {
    auto out = ask<move_begun>(core, move_queue{from, to});
    return out ? out->reference : std::string{};
  }

  shared_map<std::string, move_changed> moves() {
    auto out = ask<control_changed>(core, watch_control{nullptr});
    EXPECT_TRUE(out);
    return out ? out->state->moves : shared_map<std::string, move_changed>{};
  }
};

} // namespace depositd::testing
