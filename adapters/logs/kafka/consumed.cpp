#include "adapters/logs/kafka/consumed.hpp"

namespace depositd::kafka {

namespace {

std::string text_of(const void* data, std::size_t size) {
  return data == nullptr ? std::string{}
                         : std::string{static_cast<const char*>(data), size};
}

std::vector<record_header> headers_of(const rd_kafka_message_t& x) {
  std::vector<record_header> out;
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&x, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return out;
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size)
       == RD_KAFKA_RESP_ERR_NO_ERROR;
       ++i)
    out.push_back({name, text_of(value, size)});
  return out;
}

} // namespace

setting_list consumer_settings() {
  return {// Nobody joins it; librdkafka assigns nothing without a name.
          {"group.id", "depositd"},
          {"enable.auto.commit", "false"},
          {"enable.auto.offset.store", "false"},
          // What is not where the shard says it is must be said, not skipped.
          {"auto.offset.reset", "error"},
          {"isolation.level", "read_committed"},
          {"enable.partition.eof", "true"},
          {"check.crcs", "true"},
          // Nobody may be thrown out of a group that has no members.
          {"max.poll.interval.ms", "86400000"},
          // Fetching pauses for up to a second when the queue is full, whatever
          // is taken from it meanwhile: it has to last that long.
          {"queued.max.messages.kbytes", "65536"},
          {"fetch.error.backoff.ms", "100"}};
}

source_record record_of(const rd_kafka_message_t& x) {
  rd_kafka_timestamp_type_t kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const auto written_ms = rd_kafka_message_timestamp(&x, &kind);
  const bool known = kind != RD_KAFKA_TIMESTAMP_NOT_AVAILABLE && written_ms > 0;
  return {.partition = x.partition,
          .offset = x.offset,
          .written_us = known ? written_ms * 1'000 : never,
          .key = text_of(x.key, x.key_len),
          .value = text_of(x.payload, x.len),
          .has_value = x.payload != nullptr,
          .headers = headers_of(x)};
}

} // namespace depositd::kafka
