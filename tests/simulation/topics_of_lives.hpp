#pragma once

// How records of lives are written.

#include "messages/ports/record_log.hpp"
#include "messages/values/sharding.hpp"

#include <string>

namespace depositd::simulation {

/// Of a dead letter: the value that the record had.
inline constexpr const char* value_header_of_lives = "value";

/// Which shard keeps what becomes of the record.
shard_number shard_of_words(const source_record& x,
                            const std::string& partition, shard_number count);

} // namespace depositd::simulation
