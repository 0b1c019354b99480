#pragma once

// Jobs that wait until there is room for them. Pure: time comes in as an
// argument.

#include "messages/values/estimates.hpp"
#include "messages/work.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd::merritt {

struct waiting_job {
  item_id id = 0;
  std::uint8_t priority = 0;
  std::string user;
  std::string queue;
  std::uint64_t bytes = 0; ///< that are still to come
};

class waiting_jobs {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr std::size_t count_max = 1'000'000;

  /// False: there are too many. A job that is there already is replaced.
  bool add(waiting_job x);

  /// It does not wait any more; nothing if it did not.
  void remove(item_id id);

  bool empty() const noexcept {
    return by_turn_.empty();
  }

  /// Whether any of them could fit.
  bool may_fit(const provision_rules& by, const disk_space& disk,
               std::uint64_t promised) const;

  /// Those for which there is room now. All are looked at, in the order in
  /// which they would be handed out, and each that is named takes its room from
  /// those behind it. Who was named and has not come back after a while is
  /// named again, and after the third time it is forgotten.
  std::vector<wake_items> next(const provision_rules& by,
                               const disk_space& disk, std::uint64_t promised,
                               time_point now);

private:
  struct entry {
    waiting_job job;
    unsigned named = 0;
    time_point named_at{};
  };

  using turn = std::pair<std::uint8_t, item_id>;

  std::map<turn, entry> by_turn_;
  std::unordered_map<item_id, turn> turns_;
  /// None needs less.
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
};

} // namespace depositd::merritt
