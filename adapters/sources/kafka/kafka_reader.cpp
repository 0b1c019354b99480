#include "adapters/sources/kafka/kafka_reader.hpp"

#include "adapters/logs/kafka/client.hpp"
#include "adapters/logs/kafka/consumed.hpp"
#include "adapters/logs/kafka/offset_ranges.hpp"
#include "adapters/logs/kafka/record_log.hpp"
#include "adapters/sources/kafka/gone_records.hpp"
#include "adapters/sources/kafka/held_ends.hpp"
#include "adapters/sources/kafka/known_topic.hpp"
#include "adapters/sources/kafka/positions.hpp"
#include "adapters/sources/kafka/topics.hpp"
#include "adapters/sources/records/interruptible_reader.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace depositd::sources {

namespace {

using namespace topics;

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// By partition.
using offset_map = std::map<std::int32_t, std::int64_t>;
using kafka::message;
using kafka::partition_list;

/// librdkafka cannot be interrupted: this long it waits at a time for records,
/// and for an answer, which a slow broker has to give in one piece.
constexpr milliseconds record_wait{100};
constexpr milliseconds answer_wait{1'000};

/// What one call to `next_batch` knows.
struct batch_work {
  const batch_request& asked;
  clock::time_point until;
  topic_position kept; ///< the cursor
  offset_map lows;
  offset_map goals; ///< high ends, where a partition is read to
  std::size_t bytes = 0;
  bool made_anew = false; ///< a partition was: the client is not where it is
  pulled_batch out;
};

class kafka_reader final : public interruptible_reader {
public:
  kafka_reader(std::string name, kafka_options options, std::string topic,
               record_rules rules, milliseconds compared_every)
    : options_(std::move(options)), topic_(topic), rules_(std::move(rules)),
      known_(open_kafka_identity(options_, topic_), compared_every),
      late_(std::move(name), std::move(topic)) {
    // nop
  }

  caf::expected<pulled_batch> next_batch(const batch_request& x) override;

private:
  caf::error read(batch_work& work);
  caf::error prepare(batch_work& work);
  caf::error open();
  caf::expected<std::int32_t> partitions(const batch_work& work);
  caf::expected<kafka::offset_ranges> ranges(std::int32_t count,
                                             const batch_work& work);
  caf::error compare(batch_work& work);
  caf::error assign(const offset_map& from, const batch_work& work);
  caf::error check(const batch_work& work) const;
  void look_for_held(const batch_work& work);
  caf::error held_up(const batch_work& work) const;
  bool done(const batch_work& work) const;
  bool enough(const batch_work& work) const;
  caf::error take(const rd_kafka_message_t& x, batch_work& work);
  caf::error begin_anew(const rd_kafka_message_t& x, batch_work& work);
  caf::error stop(const std::string& why);
  std::string where(std::int32_t partition) const {
    return topic_ + "/" + std::to_string(partition);
  }

  kafka_options options_;
  std::string topic_;
  record_rules rules_;
  std::unique_ptr<kafka::client> client_;
  offset_map next_;  ///< what comes next of the assigned partitions
  offset_map marks_; ///< what is to come first of them, to be compared
  known_topic known_;
  held_ends held_;
  late_begins late_;
  caf::error ended_;    ///< why nothing is read any more
};

caf::expected<pulled_batch> kafka_reader::next_batch(const batch_request& x) {
  const interruption::call call{interruption_};
  if (ended_)
    return ended_;
  auto position = read_topic_position(x.cursor);
  if (!position)
    return position.error();
  batch_work work{.asked = x,
                  .until = clock::now() + x.timeout,
                  .kept = std::move(*position)};
  auto error = open();
  if (!error)
    error = prepare(work);
  if (!error)
    error = read(work);
  if (error || work.made_anew) {
    // What it has fetched is read again: by a client that has nothing yet.
    client_.reset();
    next_.clear();
  }
  if (error)
    return error;
  if (auto waits = held_up(work))
    return waits;
  work.out.cursor = to_text(work.kept);
  work.out.has_cursor = !work.kept.empty();
  return std::move(work.out);
}

caf::error kafka_reader::open() {
  if (client_)
    return {};
  auto fresh =
    kafka::client::open(RD_KAFKA_CONSUMER, options_, reader_settings());
  if (!fresh)
    return fresh.error();
  client_ = std::move(*fresh);
  return {};
}

caf::error kafka_reader::check(const batch_work& work) const {
  if (interruption_.cancelled())
    return was_cancelled();
  if (clock::now() < work.until)
    return {};
  const auto& trouble = client_->news().trouble;
  if (trouble.empty())
    return took_too_long(work.asked.timeout);
  return caf::make_error(ec::store_failed, trouble);
}

caf::expected<std::int32_t> kafka_reader::partitions(const batch_work& work) {
  for (;;) {
    if (auto error = check(work))
      return error;
    const auto end = std::min(work.until, clock::now() + answer_wait);
    auto out = client_->partitions(topic_, end);
    // It tries until then, unless it knows better.
    if (out || clock::now() < end)
      return out;
  }
}

caf::expected<kafka::offset_ranges>
kafka_reader::ranges(std::int32_t count, const batch_work& work) {
  const auto all = kafka::partitions_below(count);
  for (;;) {
    if (auto error = check(work))
      return error;
    const auto end = std::min(work.until, clock::now() + 2 * answer_wait);
    kafka::offset_ranges out;
    const auto [code, partition]
      = kafka::ask_for_ranges(*client_, topic_, all, end, out);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
      return out;
    if (is_unknown(code)) {
      if (const auto there = partitions(work); !there)
        return there.error();
    } else if (!passes(code)) {
      return failed(where(partition), code);
    }
    // It may return before its time, and a new topic has no leader for a
    // moment.
    rd_kafka_poll(client_->handle(),
                  std::min(kafka::milliseconds_until(end), 50));
  }
}

/// Whatever comes at offsets that were read before would be taken for known.
caf::error kafka_reader::stop(const std::string& why) {
  ended_ = caf::make_error(ec::store_damaged,
                           why
                             + "; remove the source and add it again, or give "
                               "it a key");
  return ended_;
}

/// Asks how far the partitions go, and places the client where the cursor says,
/// if it is not there.
caf::error kafka_reader::prepare(batch_work& work) {
  const auto count = partitions(work);
  if (!count)
    return count.error();
  // Of a topic that was made anew with less of them.
  std::erase_if(work.kept, [&](const auto& x) { return x.first >= *count; });
  const auto found = ranges(*count, work);
  if (!found)
    return found.error();
  offset_map from;
  for (const auto& [i, there] : *found) {
    const auto at = work.kept.find(i);
    from[i] = at == work.kept.end() ? there.low : at->second.next;
    if (at == work.kept.end())
      late_.see(i, there);
    if (from[i] > there.high && rules_.key.empty())
      return stop(gap(where(i), from[i], there));
    if (from[i] < there.low || from[i] > there.high) {
      // Nobody else would say that something is missing.
      add_bad(work.out, {}, gap(where(i), from[i], there));
      from[i] = there.low;
      at->second = {there.low};
    }
    work.lows[i] = there.low;
    work.goals[i] = there.high;
  }
  if (auto error = compare(work); error || work.made_anew)
    return error;
  if (from != next_)
    if (auto error = assign(from, work))
      return error;
  look_for_held(work);
  return {};
}

caf::error kafka_reader::compare(batch_work& work) {
  const auto failed = known_.compare(work.kept, answer_wait, clock::now());
  if (!failed)
    return {};
  if (rules_.key.empty())
    return stop(render(failed));
  add_bad(work.out, {}, render(failed));
  for (const auto& [partition, low] : work.lows)
    work.kept[partition] = {low};
  work.made_anew = true;
  return {};
}

/// Begins with the last record that was read, where it is known: a topic that
/// was made anew, and is as long again, has another in its place.
caf::error kafka_reader::assign(const offset_map& from,
                                const batch_work& work) {
  if (!next_.empty()) {
    // One that never read anything else: nothing that was fetched before can
    // get into this.
    client_.reset();
    next_.clear();
    if (auto error = open())
      return error;
  }
  partition_list list{
    rd_kafka_topic_partition_list_new(static_cast<int>(from.size()))};
  marks_.clear();
  for (const auto& [partition, next] : from) {
    auto begin = next;
    const auto at = work.kept.find(partition);
    if (at != work.kept.end() && at->second.mark != no_record_mark
        && offset_of_mark(at->second.mark) >= work.lows.at(partition)) {
      marks_[partition] = at->second.mark;
      begin = std::min(next, offset_of_mark(at->second.mark));
    }
    rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), partition)
      ->offset = begin;
  }
  const auto code = rd_kafka_assign(client_->handle(), list.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return failed("assignment of " + topic_, code);
  next_ = from;
  return {};
}

/// How far a partition goes, the last fetch has said.
void kafka_reader::look_for_held(const batch_work& work) {
  std::map<std::int32_t, held_ends::seen_end> seen;
  for (const auto& [partition, goal] : work.goals) {
    offset_range there;
    const auto code = rd_kafka_get_watermark_offsets(
      client_->handle(), topic_.c_str(), partition, &there.low, &there.high);
    const bool known = code == RD_KAFKA_RESP_ERR_NO_ERROR && there.high >= 0;
    seen[partition] = {goal, known ? there.high : -1,
                       next_.at(partition) >= goal};
  }
  held_.see(seen, clock::now());
}

/// No error as long as there is something else to hand out.
caf::error kafka_reader::held_up(const batch_work& work) const {
  const auto first = held_.first(clock::now());
  if (!first || !work.out.records.empty() || !work.out.bad.empty())
    return {};
  return caf::make_error(ec::store_failed,
                         where(first->first) + " shows nothing from offset "
                           + std::to_string(first->second)
                           + " on: a producer keeps a transaction open there");
}

bool kafka_reader::done(const batch_work& work) const {
  return std::all_of(work.goals.begin(), work.goals.end(), [&](const auto& x) {
    return next_.at(x.first) >= x.second;
  });
}

/// What is there counts, however slow the rest comes: else a batch that takes
/// too long would never get further.
bool kafka_reader::enough(const batch_work& work) const {
  const auto count = work.out.records.size() + work.out.bad.size();
  return count >= work.asked.limit || work.bytes >= topic_batch_bytes_max
         || (count > 0 && clock::now() + work.asked.timeout / 2 > work.until);
}

caf::error kafka_reader::read(batch_work& work) {
  while (!enough(work) && !done(work) && !work.made_anew) {
    if (auto error = check(work))
      return error;
    const auto wait = std::min<std::int64_t>(
      kafka::milliseconds_until(work.until), record_wait.count());
    const message x{
      rd_kafka_consumer_poll(client_->handle(), static_cast<int>(wait))};
    if (!x)
      continue;
    const auto next = next_.find(x->partition);
    if (x->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (auto error = take(*x, work))
        return error;
    } else if (x->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      // Behind what is no record: marks of transactions, records that were
      // compacted away.
      if (next != next_.end() && x->offset > next->second) {
        next->second = x->offset;
        work.kept[x->partition].next = x->offset;
      }
    } else if (is_final(x->err)) {
      return failed(where(x->partition), x->err);
    } else {
      client_->news().trouble = rd_kafka_message_errstr(x.get());
    }
  }
  return {};
}

/// What stands where something else was read, or nothing, is of another topic.
caf::error kafka_reader::begin_anew(const rd_kafka_message_t& x,
                                    batch_work& work) {
  const auto what = where(x.partition) + " has another record at offset "
                    + std::to_string(x.offset)
                    + " than was read there: it was made anew";
  if (rules_.key.empty())
    return stop(what);
  add_bad(work.out, {}, what);
  work.kept[x.partition] = {work.lows.at(x.partition)};
  work.made_anew = true;
  return {};
}

caf::error kafka_reader::take(const rd_kafka_message_t& x, batch_work& work) {
  const auto next = next_.find(x.partition);
  if (next == next_.end())
    return {};
  // It may be an older one than that, if its partition was made anew.
  client_->news().trouble.clear();
  const auto mark = mark_of(x);
  if (const auto first = marks_.extract(x.partition);
      !first.empty() && x.offset < next->second)
    return mark == first.mapped() ? caf::error{} : begin_anew(x, work);
  next->second = x.offset + 1;
  work.kept[x.partition] = {x.offset + 1, mark};
  known_.see(x.partition, mark);
  work.bytes += x.len;
  const auto key = std::to_string(x.partition) + "-" + std::to_string(x.offset);
  const auto value = value_of(x);
  if (auto body = body_of_message(value))
    add_record(work.out, rules_, key, std::move(*body), to_text(work.kept));
  else
    add_bad(work.out, key, render(body.error()), value);
  return {};
}

} // namespace

caf::expected<std::unique_ptr<source_reader>>
make_kafka_reader(const std::string& name, const source_settings& x,
                  const reader_context& in, milliseconds compared_every) {
  auto options = in.kafka;
  if (!x.from.brokers.empty())
    options.brokers = x.from.brokers;
  if (options.brokers.empty())
    return caf::make_error(ec::bad_setting,
                           "brokers: are required, as kafka.brokers are not "
                           "set");
  if (x.from.topic.empty())
    return caf::make_error(ec::bad_setting,
                           "topic: is required for the kind kafka");
  return std::unique_ptr<source_reader>{std::make_unique<kafka_reader>(
    name, std::move(options), x.from.topic,
    rules_of(name, x, in.body_bytes_max), compared_every)};
}

} // namespace depositd::sources
