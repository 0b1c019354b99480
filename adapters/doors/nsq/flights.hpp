#pragma once

// Messages that a consumer has and has not finished, and how long it may keep
// them.

#include "messages/values/types.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace depositd::nsq {

struct flight {
  using time = std::chrono::steady_clock::time_point;

  claim_token token = 0;
  std::uint32_t member = 0;
  time until; ///< then it is another's
  time limit; ///< no TOUCH goes beyond
};

class flights {
public:
  using time = flight::time;

  /// An earlier flight of the same message is over.
  void add(item_id id, const flight& x) {
    take(id);
    all_.emplace(id, x);
    ends_.emplace_hint(ends_.end(), x.until, id);
  }

  const flight* find(item_id id) const {
    const auto at = all_.find(id);
    return at == all_.end() ? nullptr : &at->second;
  }

  std::optional<flight> take(item_id id) {
    const auto at = all_.find(id);
    if (at == all_.end())
      return std::nullopt;
    const auto out = at->second;
    ends_.erase({out.until, id});
    all_.erase(at);
    return out;
  }

  /// Up to its limit, and never to an earlier time. Nothing if that changes
  /// nothing; else the new time.
  std::optional<time> extend(item_id id, time until) {
    const auto at = all_.find(id);
    if (at == all_.end())
      return std::nullopt;
    auto& x = at->second;
    const auto later = std::min(until, x.limit);
    if (later <= x.until)
      return std::nullopt;
    ends_.erase({x.until, id});
    x.until = later;
    ends_.emplace(later, id);
    return later;
  }

  /// Forgets those whose time is over; how many there were.
  std::size_t expire(time now) {
    std::size_t out = 0;
    for (; !ends_.empty() && ends_.begin()->first <= now; ++out) {
      all_.erase(ends_.begin()->second);
      ends_.erase(ends_.begin());
    }
    return out;
  }

  /// When the next one's time is over.
  std::optional<time> next() const {
    if (ends_.empty())
      return std::nullopt;
    return ends_.begin()->first;
  }

  std::size_t size() const {
    return all_.size();
  }

private:
  std::unordered_map<item_id, flight> all_;
  std::set<std::pair<time, item_id>> ends_;
};

} // namespace depositd::nsq
