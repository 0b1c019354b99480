#pragma once

// What all who read topics with librdkafka have in common.

#include "adapters/logs/kafka/client.hpp"
#include "messages/ports/record_log.hpp"
#include "messages/values/owned.hpp"

namespace depositd::kafka {

using partition_list =
  owned<rd_kafka_topic_partition_list_t, rd_kafka_topic_partition_list_destroy>;
using message = owned<rd_kafka_message_t, rd_kafka_message_destroy>;

/// Of one that reads what it assigns itself, and commits nothing.
setting_list consumer_settings();

source_record record_of(const rd_kafka_message_t& x);

} // namespace depositd::kafka
