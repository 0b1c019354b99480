#include "adapters/logs/kafka/client.hpp"

#include "messages/values/next_line.hpp"
#include "messages/values/owned.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <future>
#include <string_view>
#include <syslog.h>
#include <system_error>
#include <thread>

namespace depositd::kafka {

namespace {

constexpr auto close_patience = std::chrono::seconds{5};

using clock = std::chrono::steady_clock;

/// Of what a producer that keeps the order says; its sink sees to it.
bool is_of_order(std::string_view text) {
  return text.find("enable.gapless.guarantee") != std::string_view::npos
         || text.find("Gap-less ordering") != std::string_view::npos;
}

void log_line(const rd_kafka_t*, int level, const char* what,
              const char* text) {
  const auto severity = is_of_order(text)       ? spdlog::level::debug
                        : level <= LOG_CRIT     ? spdlog::level::err
                        : level <= LOG_WARNING  ? spdlog::level::warn
                        : level <= LOG_NOTICE   ? spdlog::level::info
                                                : spdlog::level::debug;
  spdlog::log(severity, "kafka_client about={} text=\"{}\"", what, text);
}

void note_error(rd_kafka_t*, int code, const char* text, void* opaque) {
  auto& news = *static_cast<client_news*>(opaque);
  news.trouble = std::string{rd_kafka_err2name(
                   static_cast<rd_kafka_resp_err_t>(code))}
                 + ": " + text;
  // librdkafka has no code for it.
  if (news.trouble.find("receive.message.max.bytes") != std::string::npos)
    news.too_large = news.trouble;
}

int take_statistics(rd_kafka_t*, char* text, std::size_t size, void* opaque) {
  auto& news = *static_cast<client_news*>(opaque);
  const std::string_view document{text, size};
  note_statistics(news.name, document);
  news.held_before = std::exchange(news.held, held_offsets_in(document));
  return 0; // the library frees the text
}

/// No two that live have the same.
std::string name_of_client(rd_kafka_type_t type) {
  static std::atomic<std::uint64_t> last{0};
  return (type == RD_KAFKA_PRODUCER ? "producer-" : "consumer-")
         + std::to_string(++last);
}

void note_report(rd_kafka_t*, const rd_kafka_message_t* x, void* opaque) {
  auto& news = *static_cast<client_news*>(opaque);
  if (news.reported)
    news.reported(reinterpret_cast<std::size_t>(x->_private), x->err);
}

/// What differs from librdkafka's defaults for every client.
setting_list common_settings(const kafka_options& options) {
  return {{"bootstrap.servers", options.brokers},
          {"client.id", "depositd"},
          // Topics are made by an operator, with the right clean-up policy.
          {"allow.auto.create.topics", "false"},
          // The default only since 2.10.
          {"socket.nagle.disable", "true"},
          {"socket.keepalive.enable", "true"},
          {"statistics.interval.ms", "10000"},
          {"reconnect.backoff.ms", "50"},
          {"reconnect.backoff.max.ms", "1000"}};
}

caf::error apply(rd_kafka_conf_t* conf, const std::string& name,
                 const std::string& value) {
  std::array<char, 256> why{};
  if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(),
                        why.size())
      == RD_KAFKA_CONF_OK)
    return {};
  return caf::make_error(ec::bad_setting,
                         "kafka option " + name + ": " + why.data());
}

caf::error apply_password(rd_kafka_conf_t* conf, const std::string& path) {
  if (path.empty())
    return {};
  std::ifstream file{path};
  const auto line = next_line(file);
  if (line.empty())
    return caf::make_error(ec::bad_setting,
                           "kafka.sasl.password_file: no password in " + path);
  return apply(conf, "sasl.password", line);
}

caf::error apply_all(rd_kafka_conf_t* conf, const kafka_options& options,
                     const setting_list& settings) {
  auto all = common_settings(options);
  all.insert(all.end(), settings.begin(), settings.end());
  all.insert(all.end(), options.settings.begin(), options.settings.end());
  for (const auto& [name, value] : all)
    if (auto error = apply(conf, name, value))
      return error;
  return apply_password(conf, options.password_file);
}

rd_kafka_resp_err_t fatal_error(rd_kafka_t* handle) {
  std::array<char, 256> why{};
  return rd_kafka_fatal_error(handle, why.data(), why.size());
}

// Nobody joins a group here, so there is none to leave.
void close_handle(rd_kafka_t* handle) {
  rd_kafka_destroy_flags(handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

} // namespace

int milliseconds_until(deadline end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
    end - clock::now());
  return static_cast<int>(
    std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

caf::error failure(const std::string& what, rd_kafka_resp_err_t code) {
  const auto text = what + ": " + rd_kafka_err2str(code);
  switch (code) {
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      return caf::make_error(ec::not_found, text);
    case RD_KAFKA_RESP_ERR__BAD_MSG:
      return caf::make_error(ec::store_damaged, text);
    default:
      return caf::make_error(ec::store_failed, text);
  }
}

caf::expected<std::unique_ptr<client>>
client::open(rd_kafka_type_t type, const kafka_options& options,
             const setting_list& settings) {
  owned<rd_kafka_conf_t, rd_kafka_conf_destroy> conf{rd_kafka_conf_new()};
  auto news = std::make_shared<client_news>();
  if (auto error = apply_all(conf.get(), options, settings))
    return error;
  rd_kafka_conf_set_opaque(conf.get(), news.get());
  rd_kafka_conf_set_log_cb(conf.get(), log_line);
  rd_kafka_conf_set_error_cb(conf.get(), note_error);
  news->name = name_of_client(type);
  rd_kafka_conf_set_stats_cb(conf.get(), take_statistics);
  if (type == RD_KAFKA_PRODUCER)
    rd_kafka_conf_set_dr_msg_cb(conf.get(), note_report);
  std::array<char, 256> why{};
  auto* handle = rd_kafka_new(type, conf.get(), why.data(), why.size());
  if (handle == nullptr)
    return caf::make_error(ec::bad_setting,
                           std::string{"kafka client: "} + why.data());
  static_cast<void>(conf.release()); // the client's from now on
  if (type == RD_KAFKA_CONSUMER)
    rd_kafka_poll_set_consumer(handle);
  return std::unique_ptr<client>{new client(handle, std::move(news))};
}

client::~client() {
  forget_statistics(news_->name);
  std::promise<void> closed;
  auto done = closed.get_future();
  std::thread closing;
  try {
    closing = std::thread{[handle = handle_, news = news_,
                           closed = std::move(closed)]() mutable {
      close_handle(handle);
      closed.set_value();
    }};
  } catch (const std::system_error&) {
    close_handle(handle_); // gives back threads that others may be waiting for
    return;
  }
  if (done.wait_for(close_patience) == std::future_status::ready) {
    closing.join();
    return;
  }
  spdlog::warn("kafka_client_not_closed after_s={}", close_patience.count());
  closing.detach();
}

caf::expected<std::int32_t> client::partitions(const std::string& topic,
                                               deadline end) {
  const owned<rd_kafka_topic_t, rd_kafka_topic_destroy> asked{
    rd_kafka_topic_new(handle_, topic.c_str(), nullptr)};
  if (!asked)
    return failure("topic " + topic, rd_kafka_last_error());
  for (;;) {
    const rd_kafka_metadata_t* found = nullptr;
    auto code = rd_kafka_metadata(handle_, 0, asked.get(), &found,
                                  std::max(milliseconds_until(end), 1));
    std::int32_t count = 0;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (found->topic_cnt == 1) {
        code = found->topics[0].err;
        count = found->topics[0].partition_cnt;
      }
      rd_kafka_metadata_destroy(found);
    }
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR && count > 0) {
      news_->trouble.clear();
      return count;
    }
    // A topic is without a leader for a moment after its creation; and a call
    // may return before its time (confluentinc/librdkafka #4970).
    const bool again = code != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART
                       && code != RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    if (!again || milliseconds_until(end) == 0)
      return failure("topic " + topic, code);
    rd_kafka_poll(handle_, std::min(milliseconds_until(end), 50));
  }
}

bool client::reaches_broker(deadline end) {
  const rd_kafka_metadata_t* found = nullptr;
  if (rd_kafka_metadata(handle_, 0, nullptr, &found,
                        std::max(milliseconds_until(end), 1))
      != RD_KAFKA_RESP_ERR_NO_ERROR)
    return false;
  rd_kafka_metadata_destroy(found);
  news_->trouble.clear();
  return true;
}

bool client::broken() const {
  return fatal_error(handle_) != RD_KAFKA_RESP_ERR_NO_ERROR;
}

bool client::keeps_order() const {
  return fatal_error(handle_) == RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE;
}

} // namespace depositd::kafka
