#pragma once

// Brokers show the records of a partition up to the oldest transaction that is
// open, whoever began it. One that stays open is told of: nobody else does.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace depositd::sources {

/// Of one topic. Used by one thread.
class held_ends {
public:
  using clock = std::chrono::steady_clock;

  /// A transaction that is open for longer is told of.
  static constexpr std::chrono::seconds patience{20};

  /// A partition, as it is seen now.
  struct seen_end {
    std::int64_t shown_to = 0; ///< offset from which on nothing is shown
    std::int64_t end = -1;     ///< where it ends; -1: not known
    bool was_read = false;     ///< all that is shown was
  };

  /// Forgets partitions that are not among these.
  void see(const std::map<std::int32_t, seen_end>& all, clock::time_point now) {
    std::map<std::int32_t, held_end> out;
    for (const auto& [partition, x] : all) {
      const auto at = held_.find(partition);
      const bool was = at != held_.end() && at->second.shown_to == x.shown_to;
      if (x.was_read && (x.end > x.shown_to || (x.end < 0 && was)))
        out[partition] = {x.shown_to, was ? at->second.since : now};
    }
    held_ = std::move(out);
  }

  /// The first partition that has been held up for so long, and from which
  /// offset on; nothing if none has.
  std::optional<std::pair<std::int32_t, std::int64_t>>
  first(clock::time_point now) const {
    for (const auto& [partition, x] : held_)
      if (now - x.since >= patience)
        return std::pair{partition, x.shown_to};
    return std::nullopt;
  }

private:
  struct held_end {
    std::int64_t shown_to = 0;
    clock::time_point since;
  };

  std::map<std::int32_t, held_end> held_;
};

} // namespace depositd::sources
