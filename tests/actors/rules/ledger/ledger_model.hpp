#pragma once

// What a ledger must do, said as plainly as possible: one vector, searched from
// end to end.

#include "messages/values/events.hpp"
#include "messages/values/scheduling.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace depositd::testing {

struct model_item {
  item_id id = 0;
  item_state state = item_state::pending;
  std::uint8_t priority = 0;
  std::uint32_t attempt = 0;
  std::uint64_t size = 0;
  std::uint64_t digest = 0;
  micros received_us = 0;
  micros available_us = never;
  micros deadline_us = never;
  claim_token token = 0;
  bool local = false;
  std::string processor;
};

struct ledger_model {
  std::vector<model_item> items; // by id
  claim_token token_last = 0;

  model_item* find(item_id id) {
    for (auto& x : items)
      if (x.id == id)
        return &x;
    return nullptr;
  }

  void erase(item_id id) {
    std::erase_if(items, [&](const auto& x) { return x.id == id; });
  }

  void back_to(model_item& x, item_state state, micros available_us) {
    x.state = state;
    x.available_us = available_us;
    x.deadline_us = never;
    x.token = 0;
    x.local = false;
    x.processor.clear();
  }

  void wake(micros now) {
    for (auto& x : items)
      if (x.state == item_state::delayed && x.available_us <= now)
        back_to(x, item_state::pending, never);
  }

  std::uint64_t count(item_state state) const {
    return static_cast<std::uint64_t>(
      std::count_if(items.begin(), items.end(),
                    [&](const auto& x) { return x.state == state; }));
  }

  std::uint64_t pending() const {
    return items.size() - count(item_state::claimed);
  }

  bool digest_pending(std::uint64_t digest) const {
    return std::any_of(items.begin(), items.end(), [&](const auto& x) {
      return x.digest == digest && x.state != item_state::claimed;
    });
  }

  static bool before(const model_item& a, const model_item& b) {
    return std::pair{a.priority, a.id} < std::pair{b.priority, b.id};
  }

  /// The id that a pick must get, 0 for none.
  item_id choice(const pick& what, bool across, const size_classes& classes) {
    const model_item* best = nullptr;
    for (const auto& x : items)
      if (x.state == item_state::pending && classes.of(x.size) <= what.class_max
          && (!across || x.priority == what.band)
          && (best == nullptr || before(x, *best)))
        best = &x;
    return best != nullptr ? best->id : 0;
  }

  std::map<std::pair<std::uint8_t, size_class>, std::int64_t>
  ready_counts(bool across, const size_classes& classes) const {
    std::map<std::pair<std::uint8_t, size_class>, std::int64_t> out;
    for (const auto& x : items)
      if (x.state == item_state::pending)
        ++out[{across ? x.priority : std::uint8_t{0}, classes.of(x.size)}];
    return out;
  }

  micros next_due() const {
    micros out = never;
    for (const auto& x : items)
      for (const auto due : {x.available_us, x.deadline_us})
        if (due != never && (out == never || due < out))
          out = due;
    return out;
  }

  std::vector<item_view> views() const {
    std::vector<item_view> out;
    for (const auto& x : items) {
      item_view y{x.id,
                  x.state,
                  x.priority,
                  x.attempt,
                  x.size,
                  x.received_us,
                  x.available_us,
                  x.deadline_us,
                  x.token,
                  x.processor,
                  0};
      if (x.state == item_state::pending)
        for (const auto& other : items)
          y.ahead += other.state == item_state::pending && before(other, x);
      out.push_back(std::move(y));
    }
    return out;
  }
};

} // namespace depositd::testing
