#pragma once

// Events as nodes write them, for tests of what reads a journal.

#include "messages/values/events.hpp"

#include <rapidcheck.h>

#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

inline item_enqueued enqueued(item_id id, const std::string& queue = "q") {
  return {id, queue, 3, 40, 50, 60, body_kind::inline_bytes, "", {7, 8, 9}};
}

inline item_claimed claimed(item_id id, std::uint64_t stamp = 1) {
  return {id,   "q", 100 + stamp, 1, 70, 80, stamp, 2, pick_kind::round_robin,
          true, "sp"};
}

inline submission_received received(item_id id) {
  return {id, "q", 50, {"f.xml", "op", "login", "http", "blob", 4}};
}

/// A journal as nodes write it: an event follows only where it can.
class random_journal {
public:
  record next() {
    const auto kind = between(0, 15);
    if (live_.empty() || kind <= 2)
      return {user_of(++id_), arrival()};
    if (kind == 14)
      return {user_of(++id_), copy()};
    const auto at = std::next(
      live_.begin(), between<int>(0, static_cast<int>(live_.size()) - 1));
    const auto id = at->first;
    auto& x = at->second;
    if (kind == 3)
      return {user_of(id), {body_compacted{id, "q", "", place()}}};
    if (kind == 4)
      return {"", {draw_control()}};
    if (kind == 13) {
      x = item_state::pending;
      return {user_of(id), {item_moved{id, "q", one_in_two() ? "r" : "q", 9}}};
    }
    if (kind == 15) {
      x = item_state::pending;
      return {user_of(id),
              {item_moved{id, "q", "r", 9}, item_delayed{id, "r", 77}}};
    }
    if (kind == 5)
      return {user_of(++id_),
              {submission_recorded{
                id_, "q", 1, 2, id_ % 2 == 0, {"f"}, text(), text()}}};
    if (kind == 6) {
      live_.erase(at);
      return {user_of(id), {finished(id)}};
    }
    record out{
      user_of(id),
      {x == item_state::claimed ? while_claimed(id, x) : while_pending(id, x)}};
    if (one_in_two())
      out.events.push_back(ring_paid{"q", between<std::uint64_t>(0, 99),
                                     between<std::uint64_t>(0, 99), 7});
    return out;
  }

private:
  template <class T>
  static T between(T first, T last) {
    return *rc::gen::inRange<T>(first, static_cast<T>(last + 1));
  }

  static bool one_in_two() {
    return between(0, 1) == 0;
  }

  static std::string text() {
    return std::string(static_cast<std::size_t>(between(0, 20)), 'x');
  }

  static std::string user_of(item_id id) {
    return std::string(1, static_cast<char>('A' + id % 3));
  }

  static body_location place() {
    return {between<std::uint64_t>(1, 9), between(0u, 9u), between(1u, 9u)};
  }

  static item_finished finished(item_id id) {
    return {
      id,     "q",   static_cast<ending>(between(0, 3)), between(1, 99), text(),
      text(), text()};
  }

  static event draw_control() {
    if (between(0, 1) == 0)
      return server_changed{between(0, 1) == 0, true};
    return user_eligibility_changed{user_of(between<item_id>(0, 2)),
                                    between(0, 1) == 0, false};
  }

  std::vector<event> arrival() {
    std::vector<event> out{enqueued(id_)};
    if (between(0, 2) > 0) {
      out.push_back(received(id_));
      if (between(0, 1) == 0)
        std::swap(out[0], out[1]);
    }
    live_[id_] = item_state::pending;
    return out;
  }

  std::vector<event> copy() {
    item_copied x;
    x.id = id_;
    x.queue = "q";
    x.size = between<std::uint64_t>(1, 9);
    x.received_us = between(1, 99);
    x.at = x.place = place();
    live_[id_] = item_state::pending;
    if (one_in_two())
      return {x};
    return {x, item_delayed{id_, "q", between(1, 99)}};
  }

  event while_pending(item_id id, item_state& state) {
    if (between(0, 3) == 0) {
      state =
        state == item_state::parked ? item_state::pending : item_state::parked;
      return item_parked{id, "q", state == item_state::parked};
    }
    if (state == item_state::parked) {
      state = item_state::pending;
      return item_parked{id, "q", false};
    }
    state = item_state::claimed;
    // A claim by id is no turn.
    auto out = claimed(id, between(0, 4) == 0 ? 0 : ++stamp_);
    out.attempt = between(1u, 3u);
    out.deadline_us = between(0, 99);
    out.processor = text();
    return out;
  }

  event while_claimed(item_id id, item_state& state) {
    if (between(0, 2) == 0)
      return claim_renewed{id, "q", 1, between(0, 99)};
    state = item_state::pending;
    return item_released{id, "q", between(0u, 3u), between(0, 3), text()};
  }

  std::map<item_id, item_state> live_;
  item_id id_ = 0;
  std::uint64_t stamp_ = 0;
};

} // namespace depositd::testing
