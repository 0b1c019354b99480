#pragma once

// Records of a Kafka topic.

#include "adapters/sources/records/records.hpp"
#include "messages/ports/source_reader.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace depositd::sources {

/// Of the values of one batch, about; a batch that has as many ends there.
inline constexpr std::size_t topic_batch_bytes_max =
  std::size_t{64} * 1024 * 1024;

/// How often a reader looks whether the topic is still the one that it reads.
inline constexpr std::chrono::milliseconds topic_compared_every =
  std::chrono::minutes{1};

/// Reads all partitions of a topic without a group: where it stands is in the
/// cursor alone, {"0":17} for the next offset of each partition. Partitions
/// that are not in there are read from their oldest record, as are those whose
/// offset is gone, be it that records were deleted or that the topic was made
/// anew; one that has grown as far meanwhile is known by its records, at the
/// latest when it is compared. The key is PARTITION-OFFSET; the body is the
/// value, JSON or as a JSON string, or null without a value. Records of one
/// partition come in order.
/// `ec::bad_setting` if there are no brokers or no topic; touches nothing.
caf::expected<std::unique_ptr<source_reader>>
make_kafka_reader(const std::string& name, const source_settings& x,
                  const reader_context& in,
                  std::chrono::milliseconds compared_every =
                    topic_compared_every);

} // namespace depositd::sources
