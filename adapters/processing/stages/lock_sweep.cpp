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
  known_jobs seen;
  if (!look_since(since, seen))
    return false;
  looked_us_ = now;
  known_ = std::move(seen);
  return true;
}

bool lock_sweep::look_since(micros since, known_jobs& seen) {
  job_query ask;
  ask.states = {job_state::deleted};
  if (options_.claims)
    ask.states.push_back(job_state::failed);
  ask.changed_since_us = since;
  ask.count_max = options_.page_jobs;
  for (;;) {
    const auto found = options_.reads->jobs(ask);
    if (!found)
      return locks_stay(found.error());
    for (const auto& job : *found) {
      known_job now;
      now.changed_us = job.status.changed_us;
      if (auto failed = look_at(job, now))
        return locks_stay(failed);
      known_[job.id] = now; // also if a later one fails
      seen.emplace(job.id, now);
    }
    if (found->size() < ask.count_max)
      return true;
    ask.after = {found->back().id};
  }
}

caf::error lock_sweep::look_at(const job_row& job, known_job& now) {
  const auto before = known_.find(job.id);
  const bool same = before != known_.end()
                    && before->second.changed_us == now.changed_us;
  if (same && before->second.done) {
    now.done = true;
    return {};
  }
  auto until = any_token;
  if (job.status.state == job_state::failed) {
    const auto token = options_.claims->newest_token(job.info.uuid);
    if (!token)
      return token.error();
    now.token = *token;
    now.done = *token == 0;
    if (now.done || !same || before->second.token != *token)
      return {};
    until = *token;
  }
  // Of a deleted job nobody can have a newer claim.
  now.done = true;
  return options_.locks->unlock_all(job.info.uuid, until);
}

} // namespace depositd::stages
