#pragma once

// Actors of several shards in one process: those of a shard run in one thread,
// as if they were alone, so that what they say to each other wakes nobody.

#include "messages/values/sharding.hpp"

#include <caf/actor_system_config.hpp>

#include <cstddef>

namespace depositd {

/// Exchanges the scheduler of systems that are made with this: `threads` of
/// them, at least 1. An actor stays in the thread of who spawned it; who is
/// spawned by none of them is put where `in_thread_of` says, or else to one
/// after the other.
void run_shards_in_threads(caf::actor_system_config& config,
                           std::size_t threads);

/// As many as the shards and the processors allow.
std::size_t shard_threads(shard_number shards);

/// While it lives, what this thread spawns runs in the thread of the shard, if
/// the system's scheduler is the one above.
class in_thread_of {
public:
  explicit in_thread_of(shard_number shard);
  ~in_thread_of();

  in_thread_of(const in_thread_of&) = delete;
  in_thread_of& operator=(const in_thread_of&) = delete;
};

} // namespace depositd
