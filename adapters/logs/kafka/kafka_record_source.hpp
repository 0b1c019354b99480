#pragma once

// The port record_source on Kafka, without a consumer group: partitions are
// assigned by hand, and no offset is ever committed there.

#include "adapters/logs/kafka/kafka_options.hpp"
#include "messages/ports/record_log.hpp"

#include <memory>
#include <string>

namespace depositd {

/// Does not wait for a broker. `ec::bad_setting` names an option that is wrong.
caf::expected<std::unique_ptr<record_source>>
open_kafka_source(const kafka_options& options, const std::string& topic);

} // namespace depositd
