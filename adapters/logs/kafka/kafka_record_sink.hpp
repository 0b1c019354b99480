#pragma once

// The port record_sink on Kafka: an idempotent producer that waits for all
// replicas, and is replaced when it breaks.

#include "adapters/logs/kafka/kafka_options.hpp"
#include "messages/ports/record_log.hpp"

#include <memory>

namespace depositd {

/// Does not wait for a broker. `ec::bad_setting` names an option that is wrong.
caf::expected<std::unique_ptr<record_sink>>
open_kafka_sink(const kafka_options& options);

} // namespace depositd
