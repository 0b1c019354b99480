#pragma once

// From where to where partitions reach.

#include "adapters/logs/kafka/client.hpp"
#include "messages/ports/record_log.hpp"

#include <map>
#include <string>
#include <vector>

namespace depositd::kafka {

using offset_ranges = std::map<std::int32_t, partition_range>;

/// 0, 1, ...
std::vector<std::int32_t> partitions_below(std::int32_t count);

/// Why there is no answer.
struct ranges_failed {
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::int32_t partition = -1; ///< the first of which there is none
};

/// Once. There must be one partition at least.
ranges_failed ask_for_ranges(client& by, const std::string& topic,
                             const std::vector<std::int32_t>& of, deadline end,
                             offset_ranges& out);

/// What these partitions hold now. However many they are, each broker is asked
/// twice: a question for each would take too long on a slow line. Errors as of
/// `record_source::range`.
caf::expected<offset_ranges> ranges_of(client& by, const std::string& topic,
                                       const std::vector<std::int32_t>& of,
                                       deadline end);

} // namespace depositd::kafka
