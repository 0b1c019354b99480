#pragma once

// The ports of messages/ports/record_log.hpp and log_identity.hpp on Kafka.

#include "adapters/logs/kafka/kafka_options.hpp"
#include "messages/ports/log_identity.hpp"
#include "messages/ports/record_log.hpp"

#include <memory>
#include <string>

namespace depositd {

/// An idempotent producer that waits for all replicas, and is replaced when it
/// breaks. Does not wait for a broker. `ec::bad_setting` names an option that
/// is wrong.
caf::expected<std::unique_ptr<record_sink>>
open_kafka_sink(const kafka_options& options);

/// Without a consumer group: partitions are assigned by hand, and no offset is
/// ever committed there. Does not wait for a broker. `ec::bad_setting` names an
/// option that is wrong.
caf::expected<std::unique_ptr<record_source>>
open_kafka_source(const kafka_options& options, const std::string& topic);

/// Does not wait for a broker before it is asked.
std::unique_ptr<log_identity>
open_kafka_identity(const kafka_options& options, const std::string& topic);

} // namespace depositd
