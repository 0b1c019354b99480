#pragma once

// Items of a moved queue on their way from one shard to another. They travel as
// `ingest`, a batch at a time, under names that no log of records has: those
// contain a slash.

#include "messages/ingest.hpp"
#include "messages/values/names.hpp"
#include "messages/values/sharding.hpp"

#include <string>
#include <string_view>

namespace depositd::shard {

/// In the source's journal: the number of the last batch.
inline constexpr const char* batches_watermark = "moves";

/// In the target's journal: what of this shard's batches has arrived. One mark
/// for all moves, so marks do not pile up.
inline constexpr std::string_view moved_prefix = "moved-from-";

inline std::string moved_from(shard_number shard) {
  return std::string{moved_prefix}.append(std::to_string(shard));
}

inline bool is_moved(const ingest& x) {
  return x.partition.starts_with(moved_prefix);
}

/// An item's offset is its batch with its rank below; the highest rank of all
/// says that the batch is complete.
inline constexpr unsigned rank_bits = 20;

constexpr std::int64_t moved_offset(std::int64_t batch, std::int64_t rank) {
  return (batch << rank_bits) | rank;
}

inline constexpr std::int64_t rank_max = (std::int64_t{1} << rank_bits) - 1;

} // namespace depositd::shard
