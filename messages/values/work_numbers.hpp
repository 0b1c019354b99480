#pragma once

// How many batches are in which state, how long they took, and into which
// states batches and jobs came, over all shards of this process. Kept by the
// events on their way to the journal: a list of all batches is never made.

#include "messages/values/counts.hpp"
#include "messages/values/jobs.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/types.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace depositd {

inline constexpr std::size_t batch_states =
  static_cast<std::size_t>(batch_state::deleted) + 1;
inline constexpr std::size_t job_states =
  static_cast<std::size_t>(job_state::deleted) + 1;

/// From arrival to the end; those that came before the process did do not
/// count.
struct batch_times {
  std::array<std::uint64_t, time_slots> n{};
};

struct work_numbers {
  std::array<std::uint64_t, batch_states> batches{}; ///< that live, by state
  std::array<std::uint64_t, batch_states> batch_moves{};
  std::array<std::uint64_t, job_states> job_moves{};
  batch_times times;
};

// Any thread.

/// Nothing is known of the shard's batches any more: it begins, or is gone.
void uncount_batches(shard_number shard);

/// A batch that was there before.
void restore_batch(item_id id, batch_state state);

void batch_came(item_id id, micros received_us);
void batch_moves(item_id id, const batch_status& to, bool lives);
void job_moves_to(job_state state);

/// Of batches, those in these shards.
work_numbers count_work(const std::vector<shard_number>& shards);

} // namespace depositd
