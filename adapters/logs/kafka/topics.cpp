#include "adapters/logs/kafka/topics.hpp"

#include "adapters/logs/kafka/client.hpp"
#include "messages/values/owned.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace depositd {

namespace {

using namespace kafka;
using clock = std::chrono::steady_clock;

constexpr auto week = std::chrono::hours{7 * 24};
constexpr auto month = std::chrono::hours{30 * 24};

/// What a broker takes by default, and half as much again.
constexpr std::uint32_t dead_letter_bytes_max = 1'600'000;

using new_topic = owned<rd_kafka_NewTopic_t, rd_kafka_NewTopic_destroy>;

caf::expected<new_topic> wish_for(const topic_wish& x) {
  std::array<char, 256> why{};
  new_topic out{rd_kafka_NewTopic_new(x.name.c_str(), x.partitions, x.replicas,
                                      why.data(), why.size())};
  if (!out)
    return caf::make_error(ec::invalid_argument,
                           "topic " + x.name + ": " + why.data());
  const auto kept_ms =
    std::chrono::duration_cast<std::chrono::milliseconds>(x.kept).count();
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
                        std::vector<topics_created::entry>& out) {
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
      if (x.topic == name)
        x.existed = existed;
  }
  return {};
}

using admin_event = owned<rd_kafka_event_t, rd_kafka_event_destroy>;
using admin_queue = owned<rd_kafka_queue_t, rd_kafka_queue_destroy>;

/// None: no broker has answered.
admin_event await_answer(client& by, const admin_queue& queue, int kind,
                         deadline end) {
  while (milliseconds_until(end) > 0) {
    admin_event event{
      rd_kafka_queue_poll(queue.get(), std::min(milliseconds_until(end), 100))};
    rd_kafka_poll(by.handle(), 0); // for news of trouble
    if (event && rd_kafka_event_type(event.get()) == kind)
      return event;
  }
  return {};
}

caf::error silence(client& by) {
  const auto& trouble = by.news().trouble;
  return caf::make_error(ec::store_failed,
                         "no broker has answered in time"
                           + (trouble.empty() ? "" : ": " + trouble));
}

caf::error ask(client& producer, const std::vector<topic_wish>& wishes,
               std::vector<topics_created::entry>& out, deadline end) {
  std::vector<new_topic> topics;
  std::vector<rd_kafka_NewTopic_t*> raw;
  for (const auto& x : wishes) {
    auto topic = wish_for(x);
    if (!topic)
      return topic.error();
    raw.push_back(topic->get());
    topics.push_back(std::move(*topic));
  }
  const owned<rd_kafka_AdminOptions_t, rd_kafka_AdminOptions_destroy> options{
    rd_kafka_AdminOptions_new(producer.handle(),
                              RD_KAFKA_ADMIN_OP_CREATETOPICS)};
  std::array<char, 256> why{};
  const auto time_ms = std::max(milliseconds_until(end), 100);
  rd_kafka_AdminOptions_set_request_timeout(options.get(), time_ms, why.data(),
                                            why.size());
  // Answered when every broker knows them.
  rd_kafka_AdminOptions_set_operation_timeout(options.get(), time_ms,
                                              why.data(), why.size());
  const admin_queue queue{rd_kafka_queue_new(producer.handle())};
  rd_kafka_CreateTopics(producer.handle(), raw.data(), raw.size(),
                        options.get(), queue.get());
  const auto answer = await_answer(producer, queue,
                                   RD_KAFKA_EVENT_CREATETOPICS_RESULT, end);
  return answer ? read_answers(answer.get(), out) : silence(producer);
}

using config_resource
  = owned<rd_kafka_ConfigResource_t, rd_kafka_ConfigResource_destroy>;

bool is_compacted(const rd_kafka_ConfigResource_t& topic) {
  std::size_t count = 0;
  auto* const* entries = rd_kafka_ConfigResource_configs(&topic, &count);
  for (std::size_t i = 0; i < count; ++i)
    if (std::string_view{rd_kafka_ConfigEntry_name(entries[i])}
        == "cleanup.policy") {
      const auto* value = rd_kafka_ConfigEntry_value(entries[i]);
      return value != nullptr
             && std::string_view{value}.find("compact")
                  != std::string_view::npos;
    }
  return false;
}

/// A topic that was just made is unknown to brokers for another moment.
caf::expected<std::int32_t> await_topic(client& producer,
                                        const std::string& name, deadline end) {
  for (;;) {
    auto count = producer.partitions(name, end);
    if (count || count.error() != ec::not_found || milliseconds_until(end) == 0)
      return count;
    rd_kafka_poll(producer.handle(), std::min(milliseconds_until(end), 50));
  }
}

} // namespace

std::vector<topic_wish> wished_topics(const std::string& ingress,
                                      const std::string& egress,
                                      const std::string& dead_letters,
                                      std::int32_t partitions,
                                      const std::string& jobs) {
  std::vector<topic_wish> out{
    {.name = ingress, .partitions = partitions, .kept = week},
    {.name = egress, .partitions = partitions, .kept = week},
    {.name = dead_letters,
     .partitions = partitions,
     .kept = month,
     .record_bytes_max = dead_letter_bytes_max}};
  if (!jobs.empty())
    out.push_back({.name = jobs, .partitions = partitions, .kept = week});
  return out;
}

caf::expected<topics_created>
make_kafka_topics(const kafka_options& options,
                  const std::vector<topic_wish>& wishes) {
  const auto end = clock::now() + std::chrono::milliseconds{options.timeout_ms};
  auto producer = client::open(RD_KAFKA_PRODUCER, options, {});
  if (!producer)
    return producer.error();
  topics_created out;
  for (const auto& x : wishes)
    out.topics.push_back({.topic = x.name});
  if (auto error = ask(**producer, wishes, out.topics, end))
    return error;
  for (auto& x : out.topics) {
    const auto count = await_topic(**producer, x.topic, end);
    if (!count)
      return count.error();
    x.partitions = static_cast<std::uint32_t>(*count);
  }
  return out;
}

caf::expected<kafka_cluster>
look_at_kafka(const kafka_options& options, const std::string& topic,
              std::chrono::steady_clock::time_point end) {
  auto opened = client::open(RD_KAFKA_PRODUCER, options, {});
  if (!opened)
    return std::move(opened.error());
  auto& producer = **opened;
  kafka_cluster out;
  auto* id = rd_kafka_clusterid(producer.handle(), milliseconds_until(end));
  if (id == nullptr)
    return caf::make_error(ec::store_failed,
                           std::string{"no broker has answered in time"});
  out.id = id;
  rd_kafka_mem_free(producer.handle(), id);
  if (const auto count = producer.partitions(topic, end))
    out.partitions = *count;
  else if (count.error() != ec::not_found)
    return count.error();
  return out;
}

caf::expected<std::vector<std::string>>
compacted_topics(const kafka_options& options,
                 const std::vector<std::string>& topics, deadline end) {
  auto by = client::open(RD_KAFKA_PRODUCER, options, {});
  if (!by)
    return std::move(by.error());
  std::vector<config_resource> asked;
  std::vector<rd_kafka_ConfigResource_t*> raw;
  for (const auto& name : topics) {
    asked.emplace_back(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str()));
    raw.push_back(asked.back().get());
  }
  const admin_queue queue{rd_kafka_queue_new((*by)->handle())};
  rd_kafka_DescribeConfigs((*by)->handle(), raw.data(), raw.size(), nullptr,
                           queue.get());
  const auto answer = await_answer(**by, queue,
                                   RD_KAFKA_EVENT_DESCRIBECONFIGS_RESULT, end);
  if (!answer)
    return silence(**by);
  std::vector<std::string> out;
  std::size_t count = 0;
  auto** found = rd_kafka_DescribeConfigs_result_resources(
    rd_kafka_event_DescribeConfigs_result(answer.get()), &count);
  for (std::size_t i = 0; i < count; ++i)
    if (is_compacted(*found[i]))
      out.emplace_back(rd_kafka_ConfigResource_name(found[i]));
  return out;
}

topics_actor::behavior_type topics(topics_actor::pointer,
                                   topics_options options) {
  return {
    [options =
       std::move(options)](create_topics) -> caf::result<topics_created> {
      auto out = make_kafka_topics(options.kafka, options.wishes);
      if (!out)
        return std::move(out.error());
      return std::move(*out);
    },
  };
}

} // namespace depositd
