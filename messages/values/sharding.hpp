#pragma once

// Which shard has what: pure arithmetic that must never change, because the
// journals rest on it.

#include "messages/values/types.hpp"

#include <string_view>

namespace depositd {

/// Number of a shard, from 0. Shard 0 is the control shard.
using shard_number = std::uint32_t;

inline constexpr shard_number shards_max = 256;

/// Ids of a shard's items carry its number above these bits, so that no two
/// shards give the same; all ids stay below 2^53, which JSON readers can hold.
inline constexpr unsigned item_number_bits = 44;

/// The shard that keeps what belongs to a name: a user's deposits, or a message
/// queue with everything in it.
shard_number shard_of(std::string_view name, shard_number count) noexcept;

/// The shard of a message queue: that of its name, or of the topic that it
/// belongs to, which has all of its channels.
shard_number shard_of_queue(std::string_view queue,
                            shard_number count) noexcept;

/// The shard that gave the id.
constexpr shard_number shard_of_item(item_id id) noexcept {
  return static_cast<shard_number>(id >> item_number_bits);
}

/// Ids of the shard are above this one.
constexpr item_id ids_begin(shard_number shard) noexcept {
  return item_id{shard} << item_number_bits;
}

} // namespace depositd
