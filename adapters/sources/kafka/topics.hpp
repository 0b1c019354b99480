#pragma once

// How topics are read that sources name, and what brokers say means.

#include "adapters/logs/kafka/client.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace depositd::sources::topics {

kafka::setting_list reader_settings();

/// A body; "null" where there is none.
std::string_view value_of(const rd_kafka_message_t& x);

/// By which the record is known again.
std::int64_t mark_of(const rd_kafka_message_t& x);

/// Whether a call may succeed if it is made again.
bool passes(rd_kafka_resp_err_t code);

/// A topic that was just made is not known everywhere for a moment.
bool is_unknown(rd_kafka_resp_err_t code);

/// What stands in place of a record, if it cannot be passed over.
bool is_final(rd_kafka_resp_err_t code);

caf::error failed(const std::string& what, rd_kafka_resp_err_t code);

} // namespace depositd::sources::topics
