#pragma once

// What operators and brokers do to topics, for tests of what we then do.

#include <librdkafka/rdkafka.h>

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace depositd {

/// One connection; every call throws what a broker answers instead of success.
class kafka_admin {
public:
  explicit kafka_admin(const std::string& brokers) {
    auto* conf = rd_kafka_conf_new();
    std::array<char, 256> why{};
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), why.data(),
                      why.size());
    client_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why.data(), why.size());
    queue_ = rd_kafka_queue_new(client_);
  }

  kafka_admin(const kafka_admin&) = delete;
  kafka_admin& operator=(const kafka_admin&) = delete;

  ~kafka_admin() {
    rd_kafka_queue_destroy(queue_);
    rd_kafka_destroy(client_);
  }

  /// As retention does, but at once.
  void delete_records(const std::string& topic, std::int32_t partition,
                      std::int64_t below) {
    auto* list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic.c_str(), partition)->offset
      = below;
    auto* request = rd_kafka_DeleteRecords_new(list);
    rd_kafka_DeleteRecords(client_, &request, 1, nullptr, queue_);
    await(RD_KAFKA_EVENT_DELETERECORDS_RESULT, [](rd_kafka_event_t*) {});
    rd_kafka_DeleteRecords_destroy(request);
    rd_kafka_topic_partition_list_destroy(list);
  }

  void delete_topic(const std::string& topic) {
    auto* request = rd_kafka_DeleteTopic_new(topic.c_str());
    rd_kafka_DeleteTopics(client_, &request, 1, nullptr, queue_);
    await(RD_KAFKA_EVENT_DELETETOPICS_RESULT, [](rd_kafka_event_t*) {});
    rd_kafka_DeleteTopic_destroy(request);
  }

  /// A topic's setting.
  std::string setting(const std::string& topic, const std::string& name) {
    std::string out;
    auto* asked
      = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str());
    rd_kafka_DescribeConfigs(client_, &asked, 1, nullptr, queue_);
    await(RD_KAFKA_EVENT_DESCRIBECONFIGS_RESULT, [&](rd_kafka_event_t* event) {
      std::size_t count = 0;
      auto** found = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event), &count);
      auto** entries = rd_kafka_ConfigResource_configs(found[0], &count);
      for (std::size_t i = 0; i < count; ++i)
        if (name == rd_kafka_ConfigEntry_name(entries[i]))
          out = rd_kafka_ConfigEntry_value(entries[i]);
    });
    rd_kafka_ConfigResource_destroy(asked);
    return out;
  }

  /// Changes a topic's setting; all others are the brokers' default then.
  void set(const std::string& topic, const std::string& name,
           const std::string& value) {
    auto* wish
      = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str());
    rd_kafka_ConfigResource_set_config(wish, name.c_str(), value.c_str());
    rd_kafka_AlterConfigs(client_, &wish, 1, nullptr, queue_);
    await(RD_KAFKA_EVENT_ALTERCONFIGS_RESULT, [](rd_kafka_event_t*) {});
    rd_kafka_ConfigResource_destroy(wish);
  }

private:
  void await(int kind, const std::function<void(rd_kafka_event_t*)>& read) {
    auto* event = rd_kafka_queue_poll(queue_, 30'000);
    if (event == nullptr)
      throw std::runtime_error("no broker answers");
    const auto code = rd_kafka_event_error(event);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR
        && rd_kafka_event_type(event) == kind)
      read(event);
    rd_kafka_event_destroy(event);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
      throw std::runtime_error(rd_kafka_err2str(code));
  }

  rd_kafka_t* client_ = nullptr;
  rd_kafka_queue_t* queue_ = nullptr;
};

/// A producer with one record in partition 0, in a transaction that is open.
class open_transaction {
public:
  open_transaction(const std::string& brokers, const std::string& topic) {
    auto* conf = rd_kafka_conf_new();
    std::array<char, 256> why{};
    for (const auto& [name, value] :
         {std::pair{"bootstrap.servers", brokers.c_str()},
          std::pair{"transactional.id", "of-a-test"}})
      rd_kafka_conf_set(conf, name, value, why.data(), why.size());
    client_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why.data(), why.size());
    begun_ = !failed(rd_kafka_init_transactions(client_, patience_ms))
             && !failed(rd_kafka_begin_transaction(client_))
             && rd_kafka_producev(client_, RD_KAFKA_V_TOPIC(topic.c_str()),
                                  RD_KAFKA_V_PARTITION(0),
                                  RD_KAFKA_V_KEY("k", 1), RD_KAFKA_V_END)
                  == RD_KAFKA_RESP_ERR_NO_ERROR
             && rd_kafka_flush(client_, patience_ms)
                  == RD_KAFKA_RESP_ERR_NO_ERROR;
  }

  open_transaction(const open_transaction&) = delete;
  open_transaction& operator=(const open_transaction&) = delete;

  ~open_transaction() {
    rd_kafka_destroy(client_);
  }

  /// False: no broker took it.
  bool begun() const {
    return begun_;
  }

  bool abort() {
    return !failed(rd_kafka_abort_transaction(client_, patience_ms));
  }

private:
  static constexpr int patience_ms = 30'000;

  static bool failed(rd_kafka_error_t* x) {
    const bool out = x != nullptr;
    if (out)
      rd_kafka_error_destroy(x);
    return out;
  }

  rd_kafka_t* client_ = nullptr;
  bool begun_ = false;
};

/// Writes one record to partition 0 in a transaction that is aborted.
inline bool abort_a_record(const std::string& brokers,
                           const std::string& topic) {
  open_transaction x{brokers, topic};
  return x.begun() && x.abort();
}

} // namespace depositd
