#pragma once

// What librdkafka says of itself every ten seconds, for metrics.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace depositd::kafka {

/// Notes what waits in the client, failed requests, and the round trips to its
/// brokers. What is no such document is passed.
void note_statistics(const std::string& client, std::string_view document);

/// Topics and partitions that have records behind what is shown of them, as a
/// transaction is open: the offset of the first that is not.
using held_offsets
  = std::map<std::pair<std::string, std::int32_t>, std::int64_t>;

/// What the same document says of that. Of a transaction that has just begun,
/// too: one that lasts is in the next document as well.
held_offsets held_offsets_in(std::string_view document);

/// The client is gone.
void forget_statistics(const std::string& client);

} // namespace depositd::kafka
