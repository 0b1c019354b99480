#pragma once

// Whose turn it is, of jobs that want the same object: a depositor's versions
// come in the order in which they were sent.

#include "messages/values/work_rows.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace depositd::merritt {

/// An earlier job that is on its way to the same stage is waited for as long
/// as it has moved within this time. One that needs longer, since its source is
/// slow or the disk is full, does not hold up the others.
inline constexpr micros on_its_way_us = micros{60} * 1'000'000;

/// Whether this job, which its depositor has sent before, has its turn before
/// one of that priority.
bool goes_first(const job_row& before, std::uint8_t priority, micros now);

/// Which jobs of this process are on their way to which locks. May be used from
/// several threads.
class object_turns {
public:
  /// Beyond these the oldest are forgotten: most of them went on in another
  /// process, or were deleted on their way.
  static constexpr std::size_t count_max = 100'000;
  /// An earlier one waits for those before it, so the nearest few are enough.
  static constexpr std::size_t nearest_max = 16;

  /// Before the first job of a collection, so that who waited when the process
  /// began is known: `load` enters them. Others wait meanwhile.
  void begin(const std::string& collection, const std::function<void()>& load);

  void enter(const std::string& user, item_id job,
             const std::vector<std::string>& locks);

  /// It has what it wants, or does not want it any more.
  void leave(item_id job);

  /// The user's jobs with smaller numbers that want this, the nearest first.
  std::vector<item_id> before(const std::string& user, item_id job,
                              const std::string& lock) const;

private:
  using place = std::pair<std::string, std::string>; ///< user and lock

  void forget(std::map<item_id, std::set<place>>::const_iterator known);

  std::mutex beginning_;
  std::set<std::string> begun_; ///< collections
  mutable std::mutex mutex_;
  std::map<place, std::set<item_id>> jobs_;
  std::map<item_id, std::set<place>> places_;
};

} // namespace depositd::merritt
