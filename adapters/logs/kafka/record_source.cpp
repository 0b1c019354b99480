#include "adapters/logs/kafka/client.hpp"
#include "adapters/logs/kafka/consumed.hpp"
#include "adapters/logs/kafka/offset_ranges.hpp"
#include "adapters/logs/kafka/record_log.hpp"
#include "messages/values/trouble.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>

namespace depositd {

namespace {

using namespace kafka;
using clock = std::chrono::steady_clock;

/// A question waits behind a fetch, half a second mostly: it must not take more
/// than a small part of the reader's time, however often somebody reports.
constexpr std::chrono::seconds asked_every{10};
constexpr std::chrono::seconds asked_of_each_every{60};
constexpr std::chrono::seconds asked_at_most{1};

class kafka_source final : public record_source {
public:
  kafka_source(kafka_options options, std::string topic,
               std::unique_ptr<client> first)
    : options_(std::move(options)), topic_(std::move(topic)),
      client_(std::move(first)) {
    // nop
  }

  caf::expected<std::int32_t> partitions() override {
    return client_->partitions(topic_, until());
  }

  caf::expected<partition_range> range(std::int32_t partition) override {
    return range_before(partition, until());
  }

  std::int64_t known_end(std::int32_t partition) override;

  caf::error assign(const std::vector<partition_position>& positions) override;

  caf::expected<std::vector<source_record>>
  poll(const read_limits& limits) override;

  std::int64_t shown_to(std::int32_t partition) const override {
    const auto at = next_.find(partition);
    return at == next_.end() ? 0 : at->second;
  }

  std::string trouble() const override {
    const auto& news = client_->news();
    if (!news.trouble.empty())
      return news.trouble;
    return news.too_large.empty() ? held_up() : news.too_large;
  }

private:
  struct known {
    std::int64_t end = -1;
    clock::time_point asked_at; ///< for this one
  };

  deadline until() const {
    return clock::now() + std::chrono::milliseconds{options_.timeout_ms};
  }

  caf::expected<partition_range> range_before(std::int32_t partition,
                                              deadline end);
  caf::error check(std::int32_t partition, std::int64_t next,
                   const partition_range& range) const;
  std::int64_t fetched_end(std::int32_t partition) const;
  caf::error begin(const std::vector<partition_position>& positions);
  caf::error refusal(const rd_kafka_message_t& x);
  void take(const rd_kafka_message_t& x, std::vector<source_record>& out,
            std::size_t& bytes);
  void look_for_broker(deadline end);
  std::string held_up() const;
  void tell_held_up();

  kafka_options options_;
  std::string topic_;
  std::unique_ptr<client> client_;
  std::map<std::int32_t, std::int64_t> next_; ///< by assigned partition
  std::map<std::int32_t, known> ends_; ///< of assigned ones
  clock::time_point asked_at_;         ///< for any
  caf::error stopped_; ///< why nothing comes until the next assignment
  clock::time_point looked_at_;
  depositd::trouble told_; ///< that partitions are held up
};

caf::expected<partition_range>
kafka_source::range_before(std::int32_t partition, deadline end) {
  auto found = ranges_of(*client_, topic_, {partition}, end);
  if (!found)
    return std::move(found.error());
  return found->at(partition);
}

/// By the last fetch; -1 before it.
std::int64_t kafka_source::fetched_end(std::int32_t partition) const {
  partition_range out;
  const auto code = rd_kafka_get_watermark_offsets(
    client_->handle(), topic_.c_str(), partition, &out.low, &out.high);
  return code == RD_KAFKA_RESP_ERR_NO_ERROR ? out.high : -1;
}

/// A client that has its fill of a partition fetches no more of it: then only a
/// question tells how far behind it is.
std::int64_t kafka_source::known_end(std::int32_t partition) {
  auto& known = ends_[partition];
  known.end = std::max(known.end, fetched_end(partition));
  const auto now = clock::now();
  if (!client_->news().trouble.empty() || now - asked_at_ < asked_every
      || now - known.asked_at < asked_of_each_every)
    return known.end;
  asked_at_ = known.asked_at = now;
  if (const auto range = range_before(partition, now + asked_at_most))
    known.end = std::max(known.end, range->high);
  return known.end;
}

caf::error kafka_source::check(std::int32_t partition, std::int64_t next,
                               const partition_range& range) const {
  const auto where = topic_ + "/" + std::to_string(partition)
                     + " is to be read from offset " + std::to_string(next);
  if (next < range.low)
    return caf::make_error(
      ec::not_found, where + ", but begins at " + std::to_string(range.low)
                       + ": records were deleted before they were read");
  if (next > range.high)
    return caf::make_error(ec::store_damaged,
                           where + ", but ends at " + std::to_string(range.high)
                             + ": it was cut, or is another log");
  return {};
}

caf::error
kafka_source::assign(const std::vector<partition_position>& positions) {
  std::vector<std::int32_t> numbers;
  for (const auto& x : positions)
    numbers.push_back(x.partition);
  const auto ranges = ranges_of(*client_, topic_, numbers, until());
  if (!ranges)
    return ranges.error();
  auto from = positions;
  for (auto& x : from) {
    const auto& range = ranges->at(x.partition);
    if (x.next == from_oldest)
      x.next = range.low;
    if (auto error = check(x.partition, x.next, range))
      return error;
  }
  return begin(from);
}

/// A client that never read anything else: what was fetched for an earlier
/// assignment can then not get into this one.
caf::error
kafka_source::begin(const std::vector<partition_position>& positions) {
  if (!next_.empty()) {
    auto fresh = client::open(RD_KAFKA_CONSUMER, options_, consumer_settings());
    if (!fresh)
      return fresh.error();
    client_ = std::move(*fresh);
  }
  next_.clear();
  ends_.clear();
  stopped_ = {};
  partition_list list{
    rd_kafka_topic_partition_list_new(static_cast<int>(positions.size()))};
  for (const auto& x : positions) {
    rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), x.partition)
      ->offset = x.next;
    next_[x.partition] = x.next;
  }
  const auto code = rd_kafka_assign(client_->handle(), list.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    stopped_ = failure("assignment of " + topic_, code);
    return stopped_;
  }
  return {};
}

/// What stands in place of a record means; no error if it passes by itself.
caf::error kafka_source::refusal(const rd_kafka_message_t& x) {
  switch (x.err) {
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE: {
      const auto range = range_before(x.partition, until());
      if (!range)
        return range.error();
      if (auto error = check(x.partition, next_[x.partition], *range))
        return error;
      return failure(topic_, x.err);
    }
    case RD_KAFKA_RESP_ERR__BAD_MSG:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR__FATAL:
      return failure(topic_ + "/" + std::to_string(x.partition), x.err);
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
      // It may be behind what is no record.
      if (const auto at = next_.find(x.partition); at != next_.end())
        at->second = std::max(at->second, x.offset);
      return {};
    default:
      client_->news().trouble = rd_kafka_message_errstr(&x);
      return {};
  }
}

void kafka_source::take(const rd_kafka_message_t& x,
                        std::vector<source_record>& out, std::size_t& bytes) {
  const auto expected = next_.find(x.partition);
  if (expected == next_.end() || x.offset < expected->second)
    return;
  expected->second = x.offset + 1;
  out.push_back(record_of(x));
  bytes += bytes_of(out.back());
}

caf::expected<std::vector<source_record>>
kafka_source::poll(const read_limits& limits) {
  const auto end = clock::now() + limits.wait;
  std::vector<source_record> out;
  std::size_t bytes = 0;
  if (stopped_)
    return stopped_;
  // One by one: the batch functions of librdkafka 2.0.2 lose records (#4208).
  while (out.size() < limits.records_max && bytes < limits.bytes_max) {
    const message x{rd_kafka_consumer_poll(
      client_->handle(), out.empty() ? milliseconds_until(end) : 0)};
    if (!x) {
      if (!out.empty() || milliseconds_until(end) == 0)
        break;
      continue;
    }
    if (x->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      take(*x, out, bytes);
      continue;
    }
    stopped_ = refusal(*x);
    if (!stopped_)
      continue;
    // What was read before is good; the error comes next time.
    if (out.empty())
      return stopped_;
    break;
  }
  if (!out.empty()) {
    client_->news().trouble.clear();
    client_->news().too_large.clear();
  } else
    look_for_broker(end);
  tell_held_up();
  return out;
}

/// Records behind an open transaction are shown once it has ended, whatever
/// they belong to: a producer that forgets to keeps all of them back, and
/// nothing else tells. Empty: no partition waits so.
std::string kafka_source::held_up() const {
  std::string out;
  std::size_t more = 0;
  const auto& news = client_->news();
  for (const auto& [where, offset] : news.held) {
    const auto before = news.held_before.find(where);
    const auto next = next_.find(where.second);
    if (where.first != topic_ || before == news.held_before.end()
        || before->second != offset || next == next_.end()
        || next->second < offset)
      continue;
    if (!out.empty())
      ++more;
    else
      out = topic_ + "/" + std::to_string(where.second)
            + " shows nothing from offset " + std::to_string(offset)
            + " on: a producer keeps a transaction open there";
  }
  return more == 0 ? out
                   : out + "; and " + std::to_string(more)
                       + " more partitions likewise";
}

void kafka_source::tell_held_up() {
  auto why = held_up();
  if (why.empty()) {
    if (told_.is_over())
      spdlog::info("kafka_not_held_up topic={}", topic_);
  } else if (told_.is_new(why))
    spdlog::warn("kafka_held_up topic={} reason=\"{}\"", topic_, why);
}

/// Trouble is told when it begins, but nobody tells when it is over.
void kafka_source::look_for_broker(deadline end) {
  const auto now = clock::now();
  if (client_->news().trouble.empty()
      || now - looked_at_ < std::chrono::seconds{1})
    return;
  looked_at_ = now;
  client_->reaches_broker(std::max(end, now + std::chrono::milliseconds{50}));
}

} // namespace

caf::expected<std::unique_ptr<record_source>>
open_kafka_source(const kafka_options& options, const std::string& topic) {
  auto first = client::open(RD_KAFKA_CONSUMER, options, consumer_settings());
  if (!first)
    return first.error();
  return std::unique_ptr<record_source>{
    std::make_unique<kafka_source>(options, topic, std::move(*first))};
}

} // namespace depositd
