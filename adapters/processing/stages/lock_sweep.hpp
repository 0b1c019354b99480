#pragma once

// Locks of jobs that are deleted or were failed by an operator. A job that is
// held keeps its locks, and so does one whose worker is stuck: nobody works on
// it any more who could give them up.

#include "messages/ports/inventory.hpp"
#include "messages/ports/lock_book.hpp"
#include "messages/ports/work_reader.hpp"

#include <functional>
#include <map>
#include <memory>

namespace depositd::stages {

/// Whoever deletes jobs does so by an engine whose clock differs by less.
inline constexpr micros clocks_differ_us_max = micros{300} * 1'000'000;

struct lock_sweep_options {
  std::shared_ptr<work_reader> reads;
  std::shared_ptr<inventory> locks;
  std::shared_ptr<lock_book> claims; ///< the same; null: deleted jobs only
  /// Of the clock by which rows of jobs are written; a step of this machine's
  /// must not show in it. Null: this machine's.
  std::function<micros()> now;
  std::uint32_t page_jobs = 1'000; ///< asked of the read model at once
};

/// Used by one thread.
class lock_sweep {
public:
  explicit lock_sweep(lock_sweep_options options);

  /// Gives up the locks of all jobs whose deletion is durable: at first of
  /// those that may still have some, later of those deleted since. Those of a
  /// failed job go at the second run that finds it as the first did, so that
  /// none are taken from a worker who was given it since. Repeats nothing that
  /// was done, and blocks on the read model and the inventory. False if one of
  /// these failed, with a line in the log: the next run does what is left.
  bool run();

private:
  /// What a run knows of a job, for the next one that sees it.
  struct known_job {
    micros changed_us = never;
    std::uint64_t token = 0; ///< of locks that go if they are still there then
    bool done = false;
  };
  using known_jobs = std::map<item_id, known_job>;

  bool look_since(micros since, known_jobs& seen);
  caf::error look_at(const job_row& job, known_job& now);

  const lock_sweep_options options_;
  micros looked_us_ = never; ///< when all was done last
  known_jobs known_;
};

} // namespace depositd::stages
