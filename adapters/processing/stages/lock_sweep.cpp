#include "adapters/processing/stages/lock_sweep.hpp"

#include "messages/values/clock.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::stages {

namespace {

bool locks_stay(const caf::error& why) {
  spdlog::warn("locks_not_released reason=\"{}\"", render(why));
  return false;
}

} // namespace

lock_sweep::lock_sweep(lock_sweep_options options)
  : options_(std::move(options)) {
  // nop
}

bool lock_sweep::run() {
  const auto now = options_.now ? options_.now() : engine_clock::system().now();
  // What was deleted before that has no lock any more, or none since long.
  const auto since = looked_us_ == never ? now - object_lock_us
                                         : looked_us_ - clocks_differ_us_max;
  std::set<item_id> seen;
  if (!look_since(since, seen))
    return false;
  looked_us_ = now;
  done_ = std::move(seen);
  return true;
}

bool lock_sweep::look_since(micros since, std::set<item_id>& seen) {
  job_query ask;
  ask.states = {job_state::deleted};
  ask.changed_since_us = since;
  ask.count_max = options_.page_jobs;
  for (;;) {
    const auto found = options_.reads->jobs(ask);
    if (!found)
      return locks_stay(found.error());
    for (const auto& job : *found) {
      seen.insert(job.id);
      if (done_.contains(job.id))
        continue;
      // Nobody can claim it again, so no newer claim can have locks.
      if (auto failed = options_.locks->unlock_all(job.info.uuid, any_token))
        return locks_stay(failed);
      done_.insert(job.id);
    }
    if (found->size() < ask.count_max)
      return true;
    ask.after = {found->back().id};
  }
}

} // namespace depositd::stages
