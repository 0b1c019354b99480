#pragma once

// What happens seldom, counted for the whole process by whoever sees it, so
// that no message has to carry it to those who tell. Costs a lock and a search:
// what every item does is counted in arrays instead (counts.hpp).

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// What is told, and of what its two labels speak.
enum class tally_of : std::uint8_t {
  // -- counts
  submission_rejected, ///< queue, reason
  submission_repeated, ///< queue
  login_failed,        ///< reason
  result_stale,        ///< queue
  append_fenced,       ///< shard
  shard_taken,         ///< shard
  items_purged,        ///< queue
  // -- newest values
  recovery_us,       ///< shard
  replayed,          ///< shard
  slice_us,          ///< shard
  slice_at_us,       ///< shard
  kafka_queued,      ///< name of a client
  kafka_tx_errors,   ///< likewise
  kafka_rtt_us,      ///< name of a client, broker
  downstream_silent, ///< name of a scheduler
  kinds
};

/// So many pairs of labels of one kind are told apart; more are "(others)".
inline constexpr std::size_t tallies_max = 600;

/// Any thread.
void tally(tally_of what, std::string_view first = {},
           std::string_view second = {}, std::uint64_t count = 1);

/// A value in place of the last one.
void note_value(tally_of what, std::string_view first, std::string_view second,
                double value);

/// Takes away what was noted under the first label: it is of somebody gone.
void forget_value(tally_of what, std::string_view first);

/// Groups of the journal by how many events they have: upper ends of buckets;
/// one more has none.
inline constexpr std::array<std::uint32_t, 7> group_bounds{
  1, 4, 16, 64, 256, 1'024, 4'096};

struct group_sizes {
  std::array<std::uint64_t, group_bounds.size() + 1> in{};
  std::uint64_t events = 0;
};

/// A group was written. Any thread, without a lock.
void count_group_size(std::uint32_t events);

group_sizes group_sizes_now();

struct tallied {
  std::string first;
  std::string second;
  double value = 0;
};

/// By labels.
std::vector<tallied> tallies(tally_of what);

} // namespace depositd
