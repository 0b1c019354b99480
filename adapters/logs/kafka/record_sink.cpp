#include "adapters/logs/kafka/client.hpp"
#include "adapters/logs/kafka/record_log.hpp"
#include "adapters/logs/kafka/records.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>

namespace depositd {

namespace {

using namespace kafka;
using clock = std::chrono::steady_clock;

/// Of a batch in one call: the second is with another producer.
constexpr int attempts_max = 2;

/// Of those that go out in one request; a topic may take less than by default.
constexpr std::size_t batch_bytes_max = 1'000'000;
constexpr std::size_t batch_bytes_min = 1'000;

/// For the reason of a producer that broke.
constexpr auto report_patience = std::chrono::milliseconds{500};

setting_list sink_settings(const kafka_options& options,
                           std::size_t batch_bytes) {
  setting_list out{
    {"batch.size", std::to_string(batch_bytes)},
    {"enable.idempotence", "true"},
    {"acks", "all"},
    {"linger.ms", "2"},
    // A batch is waited for as a whole: its caller's time is the limit.
    {"message.timeout.ms", "0"},
    // A rejected record goes out again with what is said about it: more bytes
    // than the broker takes of a producer who keeps the default.
    {"message.max.bytes", "2000000"},
    {"retry.backoff.ms", "50"}};
  // Where something is refused the producer stops, and nothing of the same
  // partition gets in before it.
  const auto at = options.settings.find("enable.idempotence");
  if (at == options.settings.end() || at->second == "true")
    out.emplace_back("enable.gapless.guarantee", "true");
  return out;
}

/// Of a record, or of all that were sent together with it.
bool is_too_large(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
         || code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
}

/// What all others are told when a producer has stopped for one of them.
bool says_nothing(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR__FATAL
         || code == RD_KAFKA_RESP_ERR__PURGE_QUEUE
         || code == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT;
}

/// Leaves out an outcome's document, and else value or key, of which the larger
/// goes first; false if there is neither.
bool omit_some(outgoing_record& x) {
  if (x.key.empty() && x.value.empty())
    return false;
  if (const auto bytes = x.value.size(); leave_out_document(x)) {
    spdlog::warn("record_document_omitted topic={} bytes={}", x.topic,
                 bytes - x.value.size());
    return true;
  }
  const bool of_value = x.value.size() >= x.key.size();
  auto& part = of_value ? x.value : x.key;
  const auto bytes = std::to_string(part.size());
  spdlog::warn("record_{}_omitted topic={} bytes={}",
               of_value ? "value" : "key", x.topic, bytes);
  x.headers.push_back(
    {of_value ? value_omitted_header : key_omitted_header, bytes});
  part.clear();
  if (of_value)
    x.has_value = false;
  return true;
}

std::size_t bytes_of_headers(const outgoing_record& x) {
  std::size_t out = 0;
  for (const auto& h : x.headers)
    out += h.name.size() + h.value.size();
  return out;
}

/// How far a batch is.
enum class progress : std::uint8_t { waiting, written, refused, failed };

class kafka_sink final : public record_sink {
public:
  kafka_sink(kafka_options options, std::unique_ptr<client> first)
    : options_(std::move(options)), client_(std::move(first)) {
    // nop
  }

  ~kafka_sink() override {
    client_->news().reported = nullptr;
  }

  caf::error publish(const std::vector<outgoing_record>& batch,
                     std::chrono::milliseconds wait) override;

  std::string trouble() const override {
    return trouble_.empty() ? client_->news().trouble : trouble_;
  }

private:
  caf::error renew();
  void hear_reports();
  caf::error attempt(const std::vector<outgoing_record>& batch, deadline end);
  caf::error find_topics(const std::vector<outgoing_record>& batch,
                         deadline end);
  caf::error write(const std::vector<outgoing_record>& batch, deadline end);
  caf::error write_alone(const outgoing_record& whole, std::size_t i,
                         deadline end);
  bool all_written(std::size_t count) const;
  void make_batches_smaller();
  rd_kafka_resp_err_t produce(const outgoing_record& x, std::size_t i);
  void hand_over(const outgoing_record& x, std::size_t i, deadline end);
  void await_reports(deadline end);
  void note(std::size_t i, rd_kafka_resp_err_t code);

  kafka_options options_;
  std::unique_ptr<client> client_;
  bool spoilt_ = false;            ///< the client: there is no other one yet
  std::set<std::string> topics_;   ///< that were seen to exist
  std::vector<progress> progress_; ///< of the records of the batch
  std::size_t waiting_ = 0;
  std::ptrdiff_t refused_ = 0; ///< in the last round, together with others
  std::size_t batch_bytes_ = batch_bytes_max;      ///< of the next producer
  std::size_t batch_bytes_used_ = batch_bytes_max; ///< of this one
  caf::error why_;    ///< a failure of a record
  bool told_ = false; ///< what is wrong, not only that something is
  std::string trouble_; ///< of the last batch
};

void kafka_sink::note(std::size_t i, rd_kafka_resp_err_t code) {
  auto& at = progress_[i];
  --waiting_;
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
    at = progress::written;
  } else if (is_too_large(code)) {
    at = progress::refused;
    if (!std::exchange(told_, true))
      why_ = {};
  } else {
    at = progress::failed;
    const bool tells = !says_nothing(code);
    if (!told_ || (tells && !why_))
      why_ = failure("a record was not written", code);
    told_ = told_ || tells;
  }
}

void kafka_sink::hear_reports() {
  client_->news().reported = [this](std::size_t i, rd_kafka_resp_err_t code) {
    note(i, code);
  };
}

/// Another producer: nothing of the old one can reach us or the log's order.
caf::error kafka_sink::renew() {
  client_->news().reported = nullptr;
  waiting_ = 0;
  topics_.clear();
  auto fresh = client::open(RD_KAFKA_PRODUCER, options_,
                            sink_settings(options_, batch_bytes_));
  spoilt_ = !fresh;
  if (!fresh)
    return fresh.error();
  client_ = std::move(*fresh);
  batch_bytes_used_ = batch_bytes_;
  hear_reports();
  return {};
}

/// Records for an unknown topic would wait for it half a minute; and the first
/// record after this goes out at once (confluentinc/librdkafka #5032).
caf::error kafka_sink::find_topics(const std::vector<outgoing_record>& batch,
                                   deadline end) {
  for (const auto& x : batch) {
    if (topics_.count(x.topic) != 0)
      continue;
    const auto found = client_->partitions(x.topic, end);
    if (!found)
      return found.error();
    topics_.insert(x.topic);
  }
  return {};
}

rd_kafka_resp_err_t kafka_sink::produce(const outgoing_record& x,
                                        std::size_t i) {
  auto* headers = rd_kafka_headers_new(x.headers.size());
  for (const auto& h : x.headers)
    rd_kafka_header_add(headers, h.name.data(),
                        static_cast<ssize_t>(h.name.size()), h.value.data(),
                        static_cast<ssize_t>(h.value.size()));
  // Copied, so never written to.
  auto* value = x.has_value ? const_cast<char*>(x.value.data()) : nullptr;
  const auto code = rd_kafka_producev(
    client_->handle(), RD_KAFKA_V_TOPIC(x.topic.c_str()),
    RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
    RD_KAFKA_V_KEY(x.key.empty() ? nullptr : x.key.data(), x.key.size()),
    RD_KAFKA_V_VALUE(value, x.has_value ? x.value.size() : 0),
    RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_OPAQUE(reinterpret_cast<void*>(i)),
    RD_KAFKA_V_END);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    rd_kafka_headers_destroy(headers);
  return code;
}

void kafka_sink::hand_over(const outgoing_record& x, std::size_t i,
                           deadline end) {
  progress_[i] = progress::waiting;
  ++waiting_;
  for (;;) {
    const auto code = produce(x, i);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
      return;
    if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL || milliseconds_until(end) == 0)
      return note(i, code);
    rd_kafka_poll(client_->handle(), std::min(milliseconds_until(end), 20));
  }
}

void kafka_sink::await_reports(deadline end) {
  while (waiting_ > 0 && milliseconds_until(end) > 0 && !client_->broken())
    // Sends at once what still lingers, and shows the reports.
    rd_kafka_flush(client_->handle(), std::min(milliseconds_until(end), 200));
  // Why it broke comes a moment later; of some there are no more reports.
  const auto soon = std::min(end, clock::now() + report_patience);
  while (waiting_ > 0 && !told_ && milliseconds_until(soon) > 0)
    rd_kafka_poll(client_->handle(), std::min(milliseconds_until(soon), 20));
}

bool kafka_sink::all_written(std::size_t count) const {
  return std::all_of(progress_.begin(),
                     progress_.begin() + static_cast<std::ptrdiff_t>(count),
                     [](progress x) { return x == progress::written; });
}

/// Those of the next producer, than the last one's.
void kafka_sink::make_batches_smaller() {
  const auto bytes = std::max(batch_bytes_used_ / 2, batch_bytes_min);
  if (bytes < batch_bytes_)
    spdlog::info("kafka_batches_made_smaller bytes={}", bytes);
  batch_bytes_ = bytes;
}

/// Once through what is not written, in its order. What was refused in an
/// earlier round goes out alone, when all before it is written and nothing that
/// is behind it.
caf::error kafka_sink::write(const std::vector<outgoing_record>& batch,
                             deadline end) {
  hear_reports();
  why_ = {};
  told_ = false;
  waiting_ = 0;
  std::size_t i = 0;
  for (; i < batch.size(); ++i) {
    if (progress_[i] == progress::written)
      continue;
    if (progress_[i] != progress::refused)
      hand_over(batch[i], i, end);
    if (progress_[i] != progress::refused)
      continue;
    await_reports(end);
    if (!all_written(i))
      break;
    if (auto error = write_alone(batch[i], i, end))
      return error;
  }
  await_reports(end);
  refused_ = std::count(progress_.begin(),
                        progress_.begin() + static_cast<std::ptrdiff_t>(i),
                        progress::refused);
  if (refused_ > 0 && !why_)
    why_ = caf::make_error(ec::store_failed,
                           "brokers refused records for their size");
  if (waiting_ > 0 && !why_)
    why_ = caf::make_error(ec::store_failed,
                           "no broker acknowledged the records in time");
  return why_;
}

/// The broker refuses everything that it was sent together with a record that
/// is too large, or is too much together; and a record that is too large on its
/// own must not block the rest.
caf::error kafka_sink::write_alone(const outgoing_record& whole, std::size_t i,
                                   deadline end) {
  auto x = whole;
  bool is_whole = true;
  for (;;) {
    if (client_->broken())
      if (auto error = renew())
        return error;
    if (auto error = find_topics({x}, end))
      return error;
    told_ = false;
    hand_over(x, i, end);
    await_reports(end);
    if (progress_[i] != progress::refused || !omit_some(x))
      break;
    is_whole = false;
  }
  if (progress_[i] == progress::written) {
    if (is_whole)
      make_batches_smaller();
    return {};
  }
  if (progress_[i] == progress::refused)
    return caf::make_error(ec::store_failed,
                           "topic " + x.topic
                             + " takes no record with as little as "
                             + std::to_string(bytes_of_headers(x))
                             + " bytes of headers: raise max.message.bytes");
  return why_ ? why_
              : caf::make_error(ec::store_failed, "a record of topic " + x.topic
                                                    + " was not acknowledged");
}

caf::error kafka_sink::attempt(const std::vector<outgoing_record>& batch,
                               deadline end) {
  refused_ = 0;
  auto error = spoilt_ ? renew() : caf::error{};
  if (!error)
    error = find_topics(batch, end);
  if (!error)
    error = write(batch, end);
  if (error)
    topics_.clear();
  return error;
}

caf::error kafka_sink::publish(const std::vector<outgoing_record>& batch,
                               std::chrono::milliseconds wait) {
  const auto end = clock::now() + wait;
  progress_.assign(batch.size(), progress::failed);
  caf::error error;
  for (int again = 0; again < attempts_max;) {
    error = attempt(batch, end);
    if (!error)
      break;
    // What brokers refuse, they would refuse again at once; what they took for
    // too large goes out alone.
    const bool broke = client_->broken() && !client_->keeps_order();
    again += refused_ > 0 ? 0 : broke ? 1 : attempts_max;
    // This producer may still send what we gave up; and after a fatal error
    // (confluentinc/librdkafka #4438) it would send nothing.
    if (client_->broken() || waiting_ > 0) {
      spdlog::warn("kafka_producer_replaced reason=\"{}\"", render(error));
      if (auto failed = renew())
        error = std::move(failed);
    }
    if (spoilt_ || milliseconds_until(end) == 0)
      break;
  }
  trouble_ = error ? render(error) : std::string{};
  if (!error)
    client_->news().trouble.clear();
  return error;
}

} // namespace

caf::expected<std::unique_ptr<record_sink>>
open_kafka_sink(const kafka_options& options) {
  auto first = client::open(RD_KAFKA_PRODUCER, options,
                            sink_settings(options, batch_bytes_max));
  if (!first)
    return first.error();
  return std::unique_ptr<record_sink>{
    std::make_unique<kafka_sink>(options, std::move(*first))};
}

} // namespace depositd
