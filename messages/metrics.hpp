#pragma once

// What is counted while the engine runs, and how a shard tells it: small
// numbers for each of its queues, never a list of all users.

#include "messages/message.hpp"
#include "messages/queue.hpp"
#include "messages/values/counts.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// So many users of a queue are named; of one more the number counts.
inline constexpr std::size_t users_named_max = 10;

/// Since when the oldest of a user's items waits.
struct user_wait {
  std::string user;
  micros oldest_us = never;
};

/// Items of a user that were handed out in the last step.
struct user_share {
  std::string user;
  std::uint64_t taken = 0;
};

/// Asks a queue. `ends_step`: what was shared out since the last one that said
/// so is judged now; it takes a look at every user.
struct measure_ring {
  bool ends_step = false;
};
DEPOSITD_LOCAL(measure_ring);

struct ring_measured {
  queue_report report;
  queue_counters counters; ///< since the queue came into being here
  std::uint64_t parked = 0;
  std::uint32_t users_at_cap = 0;    ///< at the end of the last step
  micros oldest_us = never;          ///< of what is ready, held users' too
  micros oldest_eligible_us = never; ///< of users whose turn can come
  std::vector<user_wait> waits;      ///< one more than named, longest first
  std::vector<user_share> shares;    ///< of the last step, largest first
  std::uint64_t taken = 0;           ///< by all users in the last step
  bool judged = false;               ///< the two below are known
  double evenness = 1;               ///< Jain's index of whoever always waited
  double lag = 0; ///< of who got least: the part of a fair share it lacks
};
DEPOSITD_LOCAL(ring_measured);

/// Asks a shard of this engine for all of its queues.
struct measure_shard {
  bool ends_step = false;
};
DEPOSITD_LOCAL(measure_shard);

struct shard_measured {
  std::uint32_t shard = 0;
  epoch_number epoch = 0;
  std::uint32_t generation = 0; ///< rises when it starts over
  bool serving = false;         ///< else nothing of queues is known
  bool suspended = false;
  std::uint64_t users = 0; ///< with an actor
  std::uint64_t backlog_bytes = 0;
  append_counters appends;
  std::vector<ring_measured> rings;
};
DEPOSITD_LOCAL(shard_measured);

} // namespace depositd
