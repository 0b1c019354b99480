#include "actors/records/intake.hpp"
#include "actors/records/contents.hpp"
#include "actors/records/places.hpp"
#include "messages/journal.hpp"
#include "messages/values/record_mark.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::records {

namespace {

using namespace std::chrono_literals;
using self_pointer = actor_with<intake_state>*;

/// For the log to show what was read of it. Whoever reads already has others
/// wait meanwhile, and looks again.
constexpr std::chrono::milliseconds first_look_max = 10s;
constexpr std::chrono::milliseconds next_look_max = 2s;

void set_trouble(intake_state& state, std::string text) {
  if (state.options.waits)
    state.options.waits->store(!text.empty());
  state.report.trouble = std::move(text);
}

/// Whatever went wrong: from the last commit, after a pause.
void start_again(self_pointer self, const caf::error& why) {
  auto& state = self->state;
  ++state.attempt;
  state.in_flight = 0;
  state.bytes_in_flight = 0;
  state.partitions.clear(); // nothing is read before we know from where
  state.begun = false;
  auto text = render(why);
  if (state.report.trouble != text)
    spdlog::warn("intake_waits topic={} reason=\"{}\"", state.options.topic,
                 text);
  set_trouble(state, std::move(text));
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

void keep(self_pointer self, std::string name, std::int64_t value) {
  self->send(self->state.options.journal,
             keep_watermark{{std::move(name), value}});
}

// -- which log it is ----------------------------------------------------------

/// Tried again and again: told once for each reason.
void stop(self_pointer self, const caf::error& why) {
  auto& state = self->state;
  if (auto text = render(why); text != state.stopped) {
    spdlog::error("intake_stopped topic={} reason=\"{}\"", state.options.topic,
                  text);
    state.stopped = std::move(text);
  }
  if (why == ec::store_damaged)
    state.cut = why;
  start_again(self, why);
}

/// These records are of the log that is read. Older ones than are known of it
/// say nothing more.
void anchor_at(self_pointer self, const std::vector<partition_mark>& records) {
  auto& state = self->state;
  for (const auto& x : records) {
    auto& anchor =
      state.anchors.try_emplace(x.partition, no_record_mark).first->second;
    if (x.mark <= anchor)
      continue;
    anchor = x.mark;
    keep(self, anchor_name(state.options, x.partition), x.mark);
  }
}

caf::error compare(const intake_state& state, const watermarks_read& known,
                   const std::vector<partition_position>& from) {
  const auto last = marks(state, known, from);
  const auto older = anchors(state, known, from);
  auto& identity = *state.options.identity;
  auto failed = identity.check(last, first_look_max);
  return failed || older == last ? failed
                                 : identity.check(older, first_look_max);
}

/// Brokers know topics by their names, and show one that was made anew as if
/// it were the old one once it has grown as far. What was read since the last
/// look may be of that one.
bool is_another_log(self_pointer self) {
  auto& state = self->state;
  const auto now = self->clock().now();
  // Brokers that are away would be waited for.
  if (now < state.compared_at + state.options.look_pause
      || state.partitions.empty() || !state.options.source->trouble().empty())
    return false;
  state.compared_at = now;
  const auto failed =
    state.options.identity->check(anchors(state), next_look_max);
  if (failed == ec::store_damaged) {
    stop(self, failed);
    return true;
  }
  if (!failed)
    anchor_at(self, marks(state));
  return false;
}

// -- beginning ----------------------------------------------------------------

/// Where something was read before, what is missing stops the intake.
void tell_begun_late(intake_state& state, const watermarks_read& known,
                     const std::vector<partition_position>& read) {
  for (const auto& x : begun_late(state, known, read))
    if (state.late.insert(x.partition).second)
      spdlog::error("intake_begins_late topic={} partition={} offsets=0-{} "
                    "reason=\"the brokers have deleted these records before "
                    "anything of the partition was read here\"",
                    state.options.topic, x.partition, x.next - 1);
}

void begin_at(self_pointer self, const watermarks_read& known) {
  auto& state = self->state;
  if (state.cut)
    return start_again(self, state.cut);
  auto from = positions(state, known);
  if (!from)
    return start_again(self, from.error());
  auto failed = read_from(*state.options.source, *from);
  if (!failed)
    failed = compare(state, known, *from);
  // Brokers are away, or a partition has no leader: nobody has to do anything.
  if (failed == ec::store_failed)
    return start_again(self, failed);
  if (failed)
    return stop(self, failed);
  const auto last = marks(state, known, *from);
  know_marks(state, known, *from);
  anchor_at(self, last);
  tell_begun_late(state, known, *from);
  state.partitions.clear();
  for (const auto& x : *from)
    state.partitions[x.partition].next = x.next;
  state.begun = true;
  state.grown = false;
  state.looked_at = state.compared_at = self->clock().now();
  state.stopped.clear();
  set_trouble(state, {});
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

/// Puts the records where they wait for the batches before them.
caf::error gather(intake_state& state, std::vector<source_record>& records) {
  for (auto& x : records) {
    auto& partition = state.partitions[x.partition];
    auto& to = partition.next_batch;
    to.partition = partition_name(state.options, x.partition);
    to.last = x.offset;
    if (auto failed = add_content(state.options, to, x, {}))
      return failed;
    const auto bytes = bytes_of(x);
    partition.waiting.bytes += bytes;
    state.bytes_in_flight += bytes;
    ++state.in_flight;
    partition.waiting.records.push_back(std::move(x));
  }
  return {};
}

// -- handing on ---------------------------------------------------------------

void send_waiting(self_pointer self, std::int32_t number);

/// Before the batch, whose group it is then in: nobody would know later what
/// stood before the cursor.
void keep_mark(self_pointer self, std::int32_t number,
               const source_record& last) {
  auto& state = self->state;
  const auto mark = mark_of(last.offset, last.key, last.value);
  if (mark == no_record_mark)
    return;
  auto& kept = state.marks.try_emplace(number, mark).first->second;
  // A source may repeat older records, and a batch that failed comes again in
  // smaller ones: what is kept never goes back.
  if (last.offset < offset_of_mark(kept))
    return;
  kept = mark;
  keep(self, mark_name(state.options, number), mark);
}

void committed(self_pointer self, std::int32_t number, std::int64_t last) {
  auto& state = self->state;
  crash_point("intake_committed");
  auto& partition = state.partitions[number];
  partition.next = last + 1;
  partition.sending = false;
  state.in_flight -= partition.sent.records.size();
  state.bytes_in_flight -= partition.sent.bytes;
  partition.sent = {};
  auto& reached = state.committed[number];
  if (last >= reached && state.options.keeps_cursors)
    keep(self, cursor_name(state.options, number), last);
  const auto mark = state.marks.find(number);
  if (mark != state.marks.end() && offset_of_mark(mark->second) <= last
      && !state.anchors.contains(number))
    anchor_at(self, {{number, mark->second}});
  reached = std::max(reached, last + 1);
  send_waiting(self, number);
  go_on(self, {});
}

void send_batch(self_pointer self, std::int32_t number, ingest batch);

/// Shards have applied nothing of their part, where they refuse any of it.
void send_again(self_pointer self, std::int32_t number, std::int64_t last,
                const std::vector<ingest_refused>& refused) {
  auto& state = self->state;
  auto& partition = state.partitions[number];
  const auto before = partition.refused.size();
  for (const auto& x : refused)
    partition.refused.emplace(x.offset, x.reason);
  if (partition.refused.size() == before)
    return start_again(self, caf::make_error(ec::invalid_argument,
                                             std::string{"a shard refuses "
                                                         "what it refused"}));
  ingest batch;
  batch.partition = partition_name(state.options, number);
  batch.last = last;
  for (const auto& x : partition.sent.records)
    if (auto failed = add_content(state.options, batch, x, partition.refused))
      return start_again(self, failed);
  crash_point("intake_refused");
  send_batch(self, number, std::move(batch));
}

void send_batch(self_pointer self, std::int32_t number, ingest batch) {
  const auto last = batch.last;
  const auto attempt = self->state.attempt;
  self
    ->request(self->state.options.deposits,
              self->state.options.request_timeout, std::move(batch))
    .then(
      [=](const ingested& x) {
        if (self->state.attempt != attempt)
          return;
        self->state.report.accepted += x.accepted;
        self->state.report.rejected += x.rejected;
        if (x.refused.empty())
          committed(self, number, last);
        else
          send_again(self, number, last, x.refused);
      },
      [=](const caf::error& why) {
        if (self->state.attempt == attempt)
          start_again(self, why);
      });
}

void send_waiting(self_pointer self, std::int32_t number) {
  auto& partition = self->state.partitions[number];
  if (partition.sending || partition.waiting.records.empty())
    return;
  partition.sending = true;
  partition.sent = std::exchange(partition.waiting, {});
  partition.refused.clear();
  keep_mark(self, number, partition.sent.records.back());
  send_batch(self, number, std::exchange(partition.next_batch, {}));
}

/// Of a partition that is read to its end. What is there may be deleted by the
/// time somebody goes on from the last record.
void pass_what_is_no_record(self_pointer self) {
  auto& state = self->state;
  for (auto& [number, partition] : state.partitions) {
    const auto shown = state.options.source->shown_to(number);
    if (partition.sending || shown <= partition.next)
      continue;
    partition.sending = true;
    if (state.options.keeps_cursors) {
      committed(self, number, shown - 1);
      continue;
    }
    ingest nothing;
    nothing.partition = partition_name(state.options, number);
    nothing.last = shown - 1;
    send_batch(self, number, std::move(nothing));
  }
}

/// Partitions that were added are read once nothing is on its way any more.
/// Whether that is waited for, or begins.
bool turns_to_more(self_pointer self) {
  auto& state = self->state;
  const auto now = self->clock().now();
  if (!state.grown && now >= state.looked_at + state.options.look_pause) {
    state.looked_at = now;
    // Brokers that are away would be waited for; who reads nothing can.
    state.grown = (state.partitions.empty()
                   || state.options.source->trouble().empty())
                  && has_more(state) && !seeded_bug("more_partitions_unread");
  }
  if (!state.grown)
    return false;
  if (state.in_flight == 0) {
    state.begun = false;
    state.partitions.clear();
    resume_reading(self);
  }
  return true; // else the last answer brings us back
}

void read(self_pointer self) {
  auto& state = self->state;
  state.reading = false;
  if (!state.begun || is_another_log(self) || turns_to_more(self))
    return;
  if (state.partitions.empty())
    return go_on(self, state.options.look_pause);
  // The last answer brings us back.
  if (state.in_flight >= state.options.records_in_flight_max
      || state.bytes_in_flight >= state.options.bytes_in_flight_max)
    return;
  auto records = state.options.source->poll(state.options.limits);
  if (!records)
    return start_again(self, records.error());
  set_trouble(state, state.options.source->trouble());
  if (records->empty()) {
    pass_what_is_no_record(self);
    return go_on(self, state.options.idle_pause);
  }
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
  for (const auto& [number, partition] : state.partitions)
    out.partitions.push_back({partition_name(state.options, number),
                              partition.next,
                              state.options.source->known_end(number)});
  return out;
}

} // namespace

intake_self::behavior_type intake(actor_with<intake_state>* self,
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

} // namespace depositd::records
