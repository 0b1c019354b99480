#pragma once

// Items of a moved queue on their way from one shard to another: the names of
// what both journals keep of it. No log of records has such names: those
// contain a slash.

#include "messages/values/names.hpp"
#include "messages/values/sharding.hpp"

#include <string>

namespace depositd::shard {

/// In the source's journal: the number of the last batch.
inline constexpr const char* batches_watermark = "moves";

/// In the target's journal: what of this shard's batches has arrived. One
/// for all moves, so they do not pile up.
inline std::string moved_from(shard_number shard) {
  return "moved-from-" + std::to_string(shard);
}

/// An item's offset is its batch with its rank below; the highest rank of all
/// says that the batch is complete.
inline constexpr unsigned rank_bits = 20;

constexpr std::int64_t moved_offset(std::int64_t batch, std::int64_t rank) {
  return (batch << rank_bits) | rank;
}

inline constexpr std::int64_t rank_max = (std::int64_t{1} << rank_bits) - 1;

} // namespace depositd::shard
