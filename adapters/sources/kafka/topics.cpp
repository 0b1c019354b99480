#include "adapters/sources/kafka/topics.hpp"

#include "messages/values/record_mark.hpp"

namespace depositd::sources::topics {

kafka::setting_list reader_settings() {
  return {// Nobody joins it; librdkafka assigns nothing without a name.
          {"group.id", "depositd"},
          {"enable.auto.commit", "false"},
          {"enable.auto.offset.store", "false"},
          // What is gone meanwhile is not worth more than what is there.
          {"auto.offset.reset", "earliest"},
          {"enable.partition.eof", "true"},
          {"isolation.level", "read_committed"},
          {"check.crcs", "true"},
          // Nobody may be thrown out of a group that has no members.
          {"max.poll.interval.ms", "86400000"},
          {"fetch.error.backoff.ms", "100"}};
}

std::string_view value_of(const rd_kafka_message_t& x) {
  return x.payload == nullptr
           ? std::string_view{"null"}
           : std::string_view{static_cast<const char*>(x.payload), x.len};
}

std::int64_t mark_of(const rd_kafka_message_t& x) {
  const auto key =
    x.key == nullptr
      ? std::string_view{}
      : std::string_view{static_cast<const char*>(x.key), x.key_len};
  return depositd::mark_of(x.offset, key, value_of(x));
}

bool passes(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
      return true;
    default:
      return false;
  }
}

bool is_unknown(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART
         || code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC
         || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

bool is_final(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__BAD_MSG:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR__FATAL:
      return true;
    default:
      return is_unknown(code);
  }
}

caf::error failed(const std::string& what, rd_kafka_resp_err_t code) {
  if (code == RD_KAFKA_RESP_ERR__BAD_MSG)
    return caf::make_error(ec::malformed, what + ": " + rd_kafka_err2str(code));
  return kafka::failure(what, code);
}

} // namespace depositd::sources::topics
