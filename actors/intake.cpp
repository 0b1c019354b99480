#include "actors/intake.hpp"

#include "messages/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace depositd {

namespace {

using self_pointer = intake_self::stateful_pointer<intake_state>;

std::string partition_name(const intake_options& options, std::int32_t number) {
  return options.topic + '/' + std::to_string(number);
}

/// Where the journal keeps how far a partition was read. With one shard that is
/// what the shard has applied.
std::string cursor_name(const intake_options& options, std::int32_t number) {
  const auto name = partition_name(options, number);
  return options.journal ? name + "#read" : name;
}

/// Whatever went wrong: from the last commit, after a pause.
void start_again(self_pointer self, const caf::error& why) {
  auto& state = self->state;
  ++state.attempt;
  state.in_flight = 0;
  state.partitions.clear(); // nothing is read before we know from where
  auto text = render(why);
  if (state.report.trouble != text)
    spdlog::warn("intake_waits topic={} reason=\"{}\"", state.options.topic,
                 text);
  state.report.trouble = std::move(text);
  self->delayed_send(self, state.options.retry_pause, begin_reading{});
}

void go_on(self_pointer self, std::chrono::milliseconds pause) {
  if (std::exchange(self->state.reading, true))
    return;
  if (pause.count() > 0)
    self->delayed_send(self, pause, read_more{});
  else
    self->send(self, read_more{});
}

// -- beginning ----------------------------------------------------------------

caf::expected<std::vector<partition_position>>
positions(self_pointer self, const watermarks_read& known) {
  const auto& options = self->state.options;
  auto count = options.source->partitions();
  if (!count)
    return std::move(count.error());
  std::map<std::string, std::int64_t> marks;
  for (const auto& mark : known.marks)
    marks[mark.partition] = mark.offset;
  std::vector<partition_position> out;
  for (std::int32_t p = 0; p < *count; ++p) {
    if (static_cast<shard_number>(p) % options.shards != options.shard)
      continue;
    const auto mark = marks.find(cursor_name(options, p));
    out.push_back({p, mark == marks.end() ? from_oldest : mark->second + 1});
  }
  return out;
}

void begin_at(self_pointer self, const watermarks_read& known) {
  auto& state = self->state;
  auto from = positions(self, known);
  if (!from)
    return start_again(self, from.error());
  if (auto failed = state.options.source->assign(*from)) {
    spdlog::error("intake_stopped topic={} reason=\"{}\"", state.options.topic,
                  render(failed));
    return start_again(self, failed);
  }
  state.partitions.clear();
  for (const auto& x : *from)
    state.partitions[x.partition].next = x.next;
  state.report.trouble.clear();
  spdlog::info("intake_reads topic={} partitions={}", state.options.topic,
               from->size());
  go_on(self, {});
}

void resume_reading(self_pointer self) {
  const auto attempt = ++self->state.attempt;
  self
    ->request(self->state.options.own, self->state.options.request_timeout,
              read_watermarks{})
    .then(
      [=](const watermarks_read& x) {
        if (self->state.attempt == attempt)
          begin_at(self, x);
      },
      [=](const caf::error& why) {
        if (self->state.attempt == attempt)
          start_again(self, why);
      });
}

// -- reading ------------------------------------------------------------------

void reject(ingest& to, source_record& x, std::string reason) {
  if (seeded_bug("poison_skipped"))
    return;
  to.rejected.push_back(
    {x.offset, std::move(reason), std::move(x.key), std::move(x.value)});
}

/// The error is the blob store's: nothing is known of the record then.
caf::error add(const intake_options& options, ingest& to, source_record& x) {
  auto deposit = options.format.read(x);
  if (!deposit) {
    reject(to, x, render(deposit.error()));
    return {};
  }
  if (deposit->post.size() > inline_post_bytes_max) {
    auto kept = options.blobs->put(deposit->post);
    if (!kept)
      return std::move(kept.error());
    deposit->particulars.blob = std::move(*kept);
    deposit->post.clear();
  }
  deposit->offset = x.offset;
  to.deposits.push_back(std::move(*deposit));
  return {};
}

std::size_t size_of(const ingest& x) {
  return x.deposits.size() + x.rejected.size();
}

/// Puts the records where they wait for the batches before them.
caf::error gather(intake_state& state, std::vector<source_record>& records) {
  for (auto& x : records) {
    auto& to = state.partitions[x.partition].waiting;
    if (to.partition.empty())
      to.partition = partition_name(state.options, x.partition);
    to.upto = x.offset;
    const auto before = size_of(to);
    if (auto failed = add(state.options, to, x))
      return failed;
    state.in_flight += size_of(to) - before;
  }
  return {};
}

void committed(self_pointer self, std::int32_t number, std::int64_t upto,
               const ingested& x) {
  auto& state = self->state;
  crash_point("intake_committed");
  state.partitions[number].next = upto + 1;
  state.report.accepted += x.accepted;
  state.report.rejected += x.rejected;
  if (state.options.journal)
    self->send(state.options.journal,
               keep_watermark{{cursor_name(state.options, number), upto}});
}

void send_waiting(self_pointer self, std::int32_t number) {
  auto& state = self->state;
  auto& partition = state.partitions[number];
  if (partition.sending || partition.waiting.partition.empty())
    return;
  partition.sending = true;
  auto batch = std::exchange(partition.waiting, {});
  const auto count = size_of(batch);
  const auto upto = batch.upto;
  const auto attempt = state.attempt;
  self
    ->request(state.options.deposits, state.options.request_timeout,
              std::move(batch))
    .then(
      [=](const ingested& x) {
        if (self->state.attempt != attempt)
          return;
        self->state.in_flight -= count;
        self->state.partitions[number].sending = false;
        committed(self, number, upto, x);
        send_waiting(self, number);
        go_on(self, {});
      },
      [=](const caf::error& why) {
        if (self->state.attempt == attempt)
          start_again(self, why);
      });
}

void read(self_pointer self) {
  auto& state = self->state;
  state.reading = false;
  // The last answer brings us back.
  if (state.partitions.empty()
      || state.in_flight >= state.options.records_in_flight_max)
    return;
  auto records = state.options.source->poll(state.options.limits);
  if (!records)
    return start_again(self, records.error());
  state.report.trouble = state.options.source->trouble();
  if (records->empty())
    return go_on(self, state.options.idle_pause);
  crash_point("intake_polled");
  if (auto failed = gather(state, *records))
    return start_again(self, failed);
  for (const auto& [number, partition] : state.partitions)
    send_waiting(self, number);
  go_on(self, {});
}

intake_report report(const intake_state& state) {
  auto out = state.report;
  out.trouble = state.partitions.empty() ? state.report.trouble
                                         : state.options.source->trouble();
  auto reached = out.trouble.empty(); // else each partition would wait in vain
  for (const auto& [number, partition] : state.partitions) {
    std::int64_t end = -1;
    if (reached) {
      const auto range = state.options.source->range(number);
      reached = static_cast<bool>(range);
      end = range ? range->high : -1;
    }
    out.partitions.push_back(
      {partition_name(state.options, number), partition.next, end});
  }
  return out;
}

} // namespace

intake_self::behavior_type
intake(intake_self::stateful_pointer<intake_state> self,
       intake_options options) {
  self->state.options = std::move(options);
  self->send(self, begin_reading{});
  return {
    [=](report_intake) -> caf::result<intake_report> {
      return report(self->state);
    },
    [=](begin_reading) { resume_reading(self); },
    [=](read_more) { read(self); },
  };
}

} // namespace depositd
