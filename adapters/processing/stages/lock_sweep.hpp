#pragma once

// Locks of jobs that are deleted. A job that is held keeps its locks, and
// nobody works on it any more who could give them up.

#include "messages/ports/inventory.hpp"
#include "messages/ports/work_reader.hpp"

#include <functional>
#include <memory>
#include <set>

namespace depositd::stages {

/// Whoever deletes jobs does so by an engine whose clock differs by less.
inline constexpr micros clocks_differ_us_max = micros{300} * 1'000'000;

struct lock_sweep_options {
  std::shared_ptr<work_reader> reads;
  std::shared_ptr<inventory> locks;
  std::function<micros()> now;     ///< null: this engine's clock
  std::uint32_t page_jobs = 1'000; ///< asked of the read model at once
};

/// Used by one thread.
class lock_sweep {
public:
  explicit lock_sweep(lock_sweep_options options);

  /// Gives up the locks of all jobs whose deletion is durable: at first of
  /// those that may still have some, later of those deleted since. Repeats
  /// nothing that was done, and blocks on the read model and the inventory.
  /// False if one of these failed, with a line in the log: the next run does
  /// what is left.
  bool run();

private:
  bool look_since(micros since, std::set<item_id>& seen);

  const lock_sweep_options options_;
  micros looked_us_ = never; ///< when all was done last
  std::set<item_id> done_;   ///< of those that the next run sees again
};

} // namespace depositd::stages
