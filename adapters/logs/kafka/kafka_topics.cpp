#include "adapters/logs/kafka/kafka_topics.hpp"

#include "adapters/logs/kafka/client.hpp"

#include <algorithm>
#include <array>

namespace depositd {

namespace {

using namespace kafka;
using clock = std::chrono::steady_clock;

struct admin_deleter {
  void operator()(rd_kafka_NewTopic_t* x) const {
    rd_kafka_NewTopic_destroy(x);
  }
  void operator()(rd_kafka_AdminOptions_t* x) const {
    rd_kafka_AdminOptions_destroy(x);
  }
  void operator()(rd_kafka_queue_t* x) const {
    rd_kafka_queue_destroy(x);
  }
  void operator()(rd_kafka_event_t* x) const {
    rd_kafka_event_destroy(x);
  }
};

template <class T>
using admin_ptr = std::unique_ptr<T, admin_deleter>;

caf::expected<admin_ptr<rd_kafka_NewTopic_t>> new_topic(const topic_wish& x) {
  std::array<char, 256> why{};
  admin_ptr<rd_kafka_NewTopic_t> out{
    rd_kafka_NewTopic_new(x.name.c_str(), x.partitions, x.replicas, why.data(),
                          why.size())};
  if (!out)
    return caf::make_error(ec::invalid_argument,
                           "topic " + x.name + ": " + why.data());
  const auto kept_ms
    = std::chrono::duration_cast<std::chrono::milliseconds>(x.kept).count();
  rd_kafka_NewTopic_set_config(out.get(), "cleanup.policy", "delete");
  rd_kafka_NewTopic_set_config(out.get(), "retention.ms",
                               std::to_string(kept_ms).c_str());
  if (x.record_bytes_max != 0)
    rd_kafka_NewTopic_set_config(out.get(), "max.message.bytes",
                                 std::to_string(x.record_bytes_max).c_str());
  return out;
}

/// Answers by name, because brokers answer in any order.
caf::error read_answers(rd_kafka_event_t* event,
                        std::vector<topic_made>& out) {
  if (const auto code = rd_kafka_event_error(event);
      code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return failure(std::string{"creation of topics: "}
                     + rd_kafka_event_error_string(event),
                   code);
  std::size_t count = 0;
  const auto* answers = rd_kafka_CreateTopics_result_topics(
    rd_kafka_event_CreateTopics_result(event), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = rd_kafka_topic_result_name(answers[i]);
    const auto code = rd_kafka_topic_result_error(answers[i]);
    const bool existed = code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS;
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR && !existed) {
      const auto* text = rd_kafka_topic_result_error_string(answers[i]);
      return failure("topic " + name + (text ? std::string{": "} + text : ""),
                     code);
    }
    for (auto& x : out)
      if (x.name == name)
        x.existed = existed;
  }
  return {};
}

caf::error ask(client& producer, const std::vector<topic_wish>& wishes,
               std::vector<topic_made>& out, deadline end) {
  std::vector<admin_ptr<rd_kafka_NewTopic_t>> topics;
  std::vector<rd_kafka_NewTopic_t*> raw;
  for (const auto& x : wishes) {
    auto topic = new_topic(x);
    if (!topic)
      return topic.error();
    raw.push_back(topic->get());
    topics.push_back(std::move(*topic));
  }
  admin_ptr<rd_kafka_AdminOptions_t> options{rd_kafka_AdminOptions_new(
    producer.handle(), RD_KAFKA_ADMIN_OP_CREATETOPICS)};
  std::array<char, 256> why{};
  const auto time_ms = std::max(milliseconds_until(end), 100);
  rd_kafka_AdminOptions_set_request_timeout(options.get(), time_ms, why.data(),
                                            why.size());
  // Answered when every broker knows them.
  rd_kafka_AdminOptions_set_operation_timeout(options.get(), time_ms,
                                              why.data(), why.size());
  admin_ptr<rd_kafka_queue_t> queue{rd_kafka_queue_new(producer.handle())};
  rd_kafka_CreateTopics(producer.handle(), raw.data(), raw.size(),
                        options.get(), queue.get());
  while (milliseconds_until(end) > 0) {
    admin_ptr<rd_kafka_event_t> event{
      rd_kafka_queue_poll(queue.get(), std::min(milliseconds_until(end), 100))};
    rd_kafka_poll(producer.handle(), 0); // for news of trouble
    if (event
        && rd_kafka_event_type(event.get())
             == RD_KAFKA_EVENT_CREATETOPICS_RESULT)
      return read_answers(event.get(), out);
  }
  const auto& trouble = producer.news().trouble;
  return caf::make_error(ec::store_failed,
                         "no broker has answered in time"
                           + (trouble.empty() ? "" : ": " + trouble));
}

/// A topic that was just made is unknown to brokers for another moment.
caf::expected<std::int32_t> await_topic(client& producer,
                                        const std::string& name,
                                        deadline end) {
  for (;;) {
    auto count = producer.partitions(name, end);
    if (count || count.error() != ec::not_found || milliseconds_until(end) == 0)
      return count;
    rd_kafka_poll(producer.handle(), std::min(milliseconds_until(end), 50));
  }
}

} // namespace

caf::expected<std::vector<topic_made>>
make_kafka_topics(const kafka_options& options,
              const std::vector<topic_wish>& wishes) {
  const auto end
    = clock::now() + std::chrono::milliseconds{options.timeout_ms};
  auto producer = client::open(RD_KAFKA_PRODUCER, options, {});
  if (!producer)
    return producer.error();
  std::vector<topic_made> out;
  for (const auto& x : wishes)
    out.push_back({.name = x.name});
  if (auto error = ask(**producer, wishes, out, end))
    return error;
  for (auto& x : out) {
    const auto count = await_topic(**producer, x.name, end);
    if (!count)
      return count.error();
    x.partitions = *count;
  }
  return out;
}

} // namespace depositd
