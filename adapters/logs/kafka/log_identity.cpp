#include "adapters/logs/kafka/consumed.hpp"
#include "adapters/logs/kafka/record_log.hpp"
#include "messages/values/record_mark.hpp"

#include <map>

namespace depositd {

namespace {

using namespace kafka;

/// By partition; those that were seen are taken out.
using open_marks = std::map<std::int32_t, std::int64_t>;

/// A client for one question: what a reader shows begins where it goes on, and
/// this is before that.
caf::expected<std::unique_ptr<client>>
open_at(const kafka_options& options, const std::string& topic,
        const open_marks& marks) {
  auto settings = consumer_settings();
  // One record of each is wanted: of many partitions the rest would be much.
  settings.emplace_back("queued.max.messages.kbytes", "1024");
  settings.emplace_back("fetch.message.max.bytes", "65536");
  auto out = client::open(RD_KAFKA_CONSUMER, options, settings);
  if (!out)
    return out;
  partition_list list{
    rd_kafka_topic_partition_list_new(static_cast<int>(marks.size()))};
  for (const auto& [partition, mark] : marks)
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)
      ->offset = offset_of_mark(mark);
  const auto code = rd_kafka_assign((*out)->handle(), list.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return failure("assignment of " + topic, code);
  return out;
}

/// Whatever comes first of a partition is its record, or shows that it is gone.
caf::error compare(const rd_kafka_message_t& x, const std::string& topic,
                   open_marks& marks) {
  const auto at = marks.find(x.partition);
  if (at == marks.end())
    return {};
  const auto mark = at->second;
  switch (x.err) {
    case RD_KAFKA_RESP_ERR__BAD_MSG:
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
      marks.erase(at);
      return {};
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR__FATAL:
      return failure(topic, x.err);
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      break;
    default:
      return {}; // passes by itself
  }
  marks.erase(at);
  const auto there = record_of(x);
  // To a source, what is no value is a null.
  if (there.offset != offset_of_mark(mark)
      || mark_of(there.offset, there.key, there.value) == mark
      || (!there.has_value && mark_of(there.offset, there.key, "null") == mark))
    return {};
  return caf::make_error(ec::store_damaged,
                         topic + "/" + std::to_string(x.partition)
                           + " has another record at offset "
                           + std::to_string(there.offset)
                           + " than was read there: it was made anew, or is "
                             "another log");
}

class kafka_identity final : public log_identity {
public:
  kafka_identity(kafka_options options, std::string topic)
    : options_(std::move(options)), topic_(std::move(topic)) {
    // nop
  }

  caf::error check(const std::vector<partition_mark>& marks,
                   std::chrono::milliseconds wait) override;

private:
  kafka_options options_;
  std::string topic_;
};

caf::error kafka_identity::check(const std::vector<partition_mark>& marks,
                                 std::chrono::milliseconds wait) {
  const auto end = std::chrono::steady_clock::now() + wait;
  open_marks open;
  for (const auto& x : marks)
    open[x.partition] = x.mark;
  if (open.empty())
    return {};
  auto by = open_at(options_, topic_, open);
  if (!by)
    return by.error();
  while (!open.empty()) {
    const auto left = milliseconds_until(end);
    if (left == 0)
      return caf::make_error(ec::store_failed,
                             topic_ + ": what was read of it last does not "
                                      "come");
    const message x{rd_kafka_consumer_poll((*by)->handle(), left)};
    if (!x)
      continue;
    if (auto error = compare(*x, topic_, open))
      return error;
  }
  return {};
}

} // namespace

std::unique_ptr<log_identity> open_kafka_identity(const kafka_options& options,
                                                  const std::string& topic) {
  return std::make_unique<kafka_identity>(options, topic);
}

} // namespace depositd
