#pragma once

// What brokers deleted before it was read, and what is said of it.

#include "messages/ports/record_log.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

namespace depositd::sources {

/// Of what a partition has.
using offset_range = partition_range;

/// Why a partition is not read from `next`, which is outside of what is there.
inline std::string gap(const std::string& where, std::int64_t next,
                       const offset_range& there) {
  const auto what =
    where + " was to be read from offset " + std::to_string(next) + ", but ";
  if (next < there.low)
    return what + "begins at " + std::to_string(there.low)
           + ": records were deleted before they were read";
  return what + "ends at " + std::to_string(there.high)
         + ": it was cut or made anew";
}

/// Partitions whose first records were gone before anything was read. The log
/// is told once of each.
class late_begins {
public:
  late_begins(std::string source, std::string topic)
    : source_(std::move(source)), topic_(std::move(topic)) {
    // nop
  }

  /// Of a partition of which nothing was read yet.
  void see(std::int32_t partition, const offset_range& there) {
    if (there.low > 0 && told_.insert(partition).second)
      spdlog::warn("source_begins_late source={} topic={} partition={} "
                   "offsets=0-{} reason=\"the brokers have deleted these "
                   "records before anything of the partition was read here\"",
                   source_, topic_, partition, there.low - 1);
  }

private:
  const std::string source_;
  const std::string topic_;
  std::set<std::int32_t> told_;
};

} // namespace depositd::sources
