#pragma once

// What must be true of the core, kept apart from how it does it: every item
// that was acknowledged, where it is, and who holds it.

#include "messages/values/scheduling.hpp"
#include "messages/values/types.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

struct model_item {
  std::string queue;
  std::string user;
  std::uint8_t priority = 0;
  std::string body;
  std::uint32_t attempt = 0;
  micros available_us = never;
  bool parked = false;
  bool touched = false; ///< was claimed or parked before: out of its order
  // -- the claim, if there is one
  bool claimed = false;
  claim_token token = 0;
  std::uint32_t holder = 0; ///< the test's number of the processor
  micros deadline_us = never;
};

/// Every item that was acknowledged and has not ended.
class core_model {
public:
  /// Who holds what was polled: those never hear of tokens.
  static constexpr std::uint32_t poller = 0;

  std::map<item_id, model_item> live;
  std::set<item_id> ended;
  std::map<std::string, queue_settings> queues;
  std::map<std::pair<std::string, std::string>, std::uint32_t> caps;
  std::set<std::string> held;
  std::set<std::string> prohibited;
  bool suspended = false;

  std::uint32_t cap_of(const std::string& queue,
                       const std::string& user) const {
    const auto own = caps.find({queue, user});
    return own != caps.end() ? own->second : queues.at(queue).concurrency;
  }

  std::uint32_t claims_of(const std::string& queue,
                          const std::string& user) const {
    std::uint32_t out = 0;
    for (const auto& [id, x] : live)
      out += x.claimed && x.queue == queue && x.user == user;
    return out;
  }

  /// Whether a claim of it may begin that nobody picked.
  bool may_begin(const model_item& x) const {
    return !suspended && held.count(x.user) == 0
           && prohibited.count(x.user) == 0
           && claims_of(x.queue, x.user) < cap_of(x.queue, x.user);
  }

  void accept(item_id id, model_item item) {
    EXPECT_FALSE(ended.count(id) > 0 || live.count(id) > 0)
      << "item " << id << " was given twice";
    live.emplace(id, std::move(item));
  }

  /// A processor was handed the item.
  void claim(const claimed_item& got, const std::string& queue,
             std::uint32_t holder) {
    EXPECT_EQ(ended.count(got.id), 0u) << "item " << got.id << " had ended";
    const auto at = live.find(got.id);
    ASSERT_NE(at, live.end()) << "nobody gave item " << got.id;
    auto& x = at->second;
    EXPECT_FALSE(x.claimed) << "item " << got.id << " is held already";
    EXPECT_FALSE(x.parked) << "item " << got.id << " is parked";
    EXPECT_FALSE(suspended);
    EXPECT_FALSE(held.count(x.user) > 0) << x.user << " is held";
    EXPECT_EQ(x.queue, queue);
    EXPECT_EQ(got.user, x.user);
    EXPECT_EQ(got.body, x.body);
    EXPECT_EQ(got.attempt, x.attempt + 1);
    if (holder != poller) {
      EXPECT_GT(got.token, x.token);
      x.token = got.token;
    }
    x.claimed = true;
    x.touched = true;
    x.attempt = got.attempt;
    x.available_us = never;
    x.holder = holder;
    x.deadline_us = got.deadline_us;
    EXPECT_LE(claims_of(queue, x.user), cap_of(queue, x.user))
      << x.user << " is above its concurrency";
  }

  /// The claim ended as its processor said.
  void end_claim(item_id id, verdict says, micros available_us) {
    auto& x = live.at(id);
    x.claimed = false;
    switch (says) {
      case verdict::done:
      case verdict::skip:
      case verdict::failed:
      case verdict::rejected:
        finish(id);
        return;
      case verdict::retry:
        if (x.attempt >= queues.at(x.queue).attempts_max) {
          finish(id);
          return;
        }
        x.available_us = available_us;
        return;
      case verdict::not_yet:
        --x.attempt;
        x.available_us = available_us;
        return;
      case verdict::release:
        --x.attempt;
        return;
    }
  }

  /// The claim ended without a word of its processor.
  void lose_claim(item_id id) {
    auto& x = live.at(id);
    x.claimed = false;
    if (x.attempt >= queues.at(x.queue).attempts_max)
      finish(id);
  }

  template <class Predicate>
  void lose_claims(Predicate lost) {
    std::vector<item_id> ids;
    for (const auto& [id, x] : live)
      if (x.claimed && lost(x))
        ids.push_back(id);
    for (auto id : ids)
      lose_claim(id);
  }

  void finish(item_id id) {
    live.erase(id);
    ended.insert(id);
  }

  /// An item that should have been handed out before this one.
  const item_id* passed_over(item_id id, std::uint64_t size_max,
                             const std::set<item_id>& handed_now) const {
    const auto& x = live.at(id);
    const auto bands =
      queues.at(x.queue).priority == priority_mode::across_users;
    for (const auto& [other, y] : live) {
      if (y.touched || y.queue != x.queue || y.user != x.user
          || handed_now.count(other) > 0 || y.body.size() > size_max)
        continue;
      if ((y.priority == x.priority && other < id)
          || (!bands && y.priority < x.priority))
        return &other;
    }
    return nullptr;
  }

  /// Whether this state of an item, as a fresh start would find it, is right.
  void expect_same(const item_view& found) const {
    const auto at = live.find(found.id);
    ASSERT_NE(at, live.end())
      << "item " << found.id
      << (ended.count(found.id) > 0 ? " had ended" : " was never given");
    const auto& x = at->second;
    EXPECT_EQ(found.state == item_state::claimed, x.claimed) << found.id;
    EXPECT_EQ(found.state == item_state::parked, x.parked) << found.id;
    EXPECT_EQ(found.attempt, x.attempt) << found.id;
    EXPECT_EQ(found.priority, x.priority) << found.id;
    if (x.claimed) {
      if (x.holder != poller) {
        EXPECT_EQ(found.token, x.token) << found.id;
      }
      EXPECT_EQ(found.deadline_us, x.deadline_us) << found.id;
    }
    if (found.state == item_state::delayed) {
      EXPECT_EQ(found.available_us, x.available_us) << found.id;
    }
  }
};

} // namespace depositd::testing
