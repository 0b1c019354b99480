#pragma once

// A ledger with short verbs: decide and apply in one go.

#include "actors/rules/ledger/ledger.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

/// An item that nothing is special about.
inline rules::incoming an_item(item_id id) {
  rules::incoming out;
  out.id = id;
  out.size = 10;
  return out;
}

inline rules::incoming with_priority(rules::incoming x, std::uint8_t priority) {
  x.priority = priority;
  return x;
}

inline rules::incoming with_size(rules::incoming x, std::uint64_t size) {
  x.size = size;
  return x;
}

inline rules::incoming with_digest(rules::incoming x, std::uint64_t digest) {
  x.digest = digest;
  return x;
}

inline rules::incoming with_body(rules::incoming x, std::string body) {
  x.body = std::make_shared<const std::string>(std::move(body));
  return x;
}

/// A pick that any class fits.
inline pick any_item() {
  pick out;
  out.class_max = size_classes_max - 1;
  return out;
}

class ledger_fixture : public ::testing::Test {
protected:
  ledger_fixture() {
    configure();
  }

  void configure() {
    books.configure("q", settings, classes);
  }

  /// Accepts and applies; returns the ids that made it.
  std::vector<item_id> put(const std::vector<rules::incoming>& items) {
    std::vector<item_id> out;
    for (auto& x : books.accept(items, now, &refused)) {
      out.push_back(x.id);
      rules::body_bytes body;
      for (const auto& y : items)
        if (y.id == x.id)
          body = y.body;
      books.apply(event{x}, body);
    }
    return out;
  }

  /// Chooses and applies.
  std::optional<rules::handed_item> claim(const pick& what = any_item(),
                                          const rules::taker_limits& who = {
                                            "sp", never, false}) {
    auto out = books.choose(what, who, now);
    if (out)
      books.apply(event{out->claim});
    return out;
  }

  /// Id of the next item handed out, 0 if there is none.
  item_id claim_id(const pick& what = any_item()) {
    const auto x = claim(what);
    return x ? x->item.id : 0;
  }

  /// Settles the claim and applies; the event, which must be one.
  event settle(const claimed_item& x, verdict says,
               std::uint32_t delay_ms = 0) {
    outcome what;
    what.id = x.id;
    what.token = x.token;
    what.says = says;
    what.delay_ms = delay_ms;
    auto out = books.settle(what, now);
    EXPECT_TRUE(out) << render(out.error());
    books.apply(*out);
    return *out;
  }

  void apply(const std::vector<event>& events) {
    for (const auto& x : events)
      books.apply(x);
  }

  item_state state_of(item_id id) {
    const auto x = books.find(id);
    EXPECT_TRUE(x) << "no item " << id;
    return x->state;
  }

  queue_settings settings;
  size_classes classes;
  rules::ledger books;
  micros now = 1'000'000;
  std::vector<item_id> refused;
};

} // namespace depositd::testing
