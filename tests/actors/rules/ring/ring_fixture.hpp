#pragma once

// A queue whose nodes answer at once, for tests that spell out the rules of
// selection.

#include "actors/rules/ring/ring.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace depositd::rules {

/// Speaks of users by name.
class ring_test : public ::testing::Test {
protected:
  explicit ring_test(priority_mode mode = priority_mode::within_user,
                     std::uint32_t oldest_band_every = 0)
    : ring_(mode, oldest_band_every) {
    ring_.settle_order();
    anybody_ = ring_.open_view({}, 0);
  }

  void join(const std::string& name, const member_limits& limits = {}) {
    const auto number = static_cast<member_number>(numbers_.size());
    numbers_[name] = number;
    names_.push_back(name);
    ring_.join(number, name, limits);
  }

  /// Users with `count` items each, in this order.
  void users_with(std::int32_t count, const std::vector<std::string>& names) {
    for (const auto& name : names) {
      join(name);
      enqueue(name, count);
    }
  }

  void enqueue(const std::string& name, std::int32_t count = 1,
               size_class cls = 0, std::uint8_t band = 0) {
    ring_.change_ready(numbers_.at(name), {band, cls, count});
  }

  void set(const std::string& name, const member_limits& limits) {
    ring_.set_limits(numbers_.at(name), limits);
  }

  void finish_claim(const std::string& name) {
    ring_.change_in_flight(numbers_.at(name), -1);
  }

  /// The node takes the item of a pick; its class is the largest that fits
  /// unless told otherwise.
  void answer(const pick& x, int cls = -1) {
    const ready_change taken{
      x.band, cls < 0 ? x.class_max : static_cast<size_class>(cls), -1};
    const ready_change answered{x.band, x.class_max, 1};
    ring_.report(x.member, {.ready = {&taken, 1}, .answered = {&answered, 1}});
  }

  /// Names of the next users, "-" where there is none.
  std::string next(int count, view_number view) {
    std::string out;
    for (int i = 0; i < count; ++i) {
      const auto what = ring_.next(view);
      if (what)
        answer(*what);
      out += (i > 0 ? " " : "") + (what ? names_[what->member] : "-");
    }
    return out;
  }
  std::string next(int count = 1) {
    return next(count, anybody_);
  }

  view_number requiring(std::vector<std::string> names) {
    return ring_.open_view({.required = std::move(names)}, 0);
  }
  view_number preferring(std::vector<std::string> names) {
    return ring_.open_view({.preferred = std::move(names)}, 0);
  }
  view_number excluding(std::vector<std::string> names) {
    return ring_.open_view({.excluded = std::move(names)}, 0);
  }

  eligibility_report explain(const std::string& name) {
    return ring_.explain(numbers_.at(name));
  }

  ring ring_;
  view_number anybody_ = 0;
  std::map<std::string, member_number> numbers_;
  std::vector<std::string> names_;
};

/// Priority orders the users; every fourth pick serves the oldest band.
class bands_test : public ring_test {
protected:
  bands_test() : ring_test(priority_mode::across_users, 4) {}
};

} // namespace depositd::rules
