// Buffers are emptied: picks go to the queue's shard, and what it answers moves
// positions.

#include "actors/sources/parts.hpp"
#include "messages/shard.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::sources {

namespace {

// -- picking ------------------------------------------------------------------

/// Whether anything of it may be picked. What is in doubt is sent again first.
bool is_fed(const fed_source& x) {
  return !x.replaced && x.failures == 0;
}

std::size_t bytes_of_record(const feed_records::one& x) {
  return x.key.size() + x.user.size() + x.body.size();
}

/// Whose record it is; null if there is none.
const std::string* take_one(scheduler_actor_state& state, fed_source& x) {
  auto record = x.records.take();
  if (!record)
    return nullptr;
  state.marks.fed(record->user);
  ++state.picked;
  note_picked(state, &x, record->user);
  auto& to = x.next;
  to.records.push_back({std::move(record->key), std::move(record->user),
                        std::move(record->body), false});
  to.batches.push_back(record->tag);
  to.bytes += bytes_of_record(to.records.back());
  return &to.records.back().user;
}

/// Sets aside what may not be fed, and counts what may.
void look_at_buffers(scheduler_actor_state& state) {
  state.ready.resize(state.sources.size());
  for (std::size_t i = 0; i < state.sources.size(); ++i) {
    auto& x = *state.sources[i];
    set_aside(state, x);
    state.ready[i] = is_fed(x) ? x.records.ready() : 0;
  }
}

/// How many wait for messages before them; nothing if that is enough.
std::optional<std::size_t> find_waiting(const scheduler_actor_state& state) {
  const auto& limits = state.options->limits;
  std::size_t out = 0;
  for (const auto& x : state.sources) {
    if (!is_fed(*x))
      continue;
    out += x->next.records.size();
    if (x->next.bytes >= limits.pick_bytes_max)
      return std::nullopt;
  }
  if (out >= limits.picks_max)
    return std::nullopt;
  return out;
}

} // namespace

void pick(scheduler_pointer self, micros at_us) {
  auto& state = self->state;
  look_at_buffers(state);
  auto waiting = find_waiting(state);
  if (!state.strategy || !waiting || state.measure.calls_for_quiet)
    return;
  const auto& limits = state.options->limits;
  const bool by_user = has_user_marks(state);
  while ((state.marks.room() > 0 || seeded_bug("mark_ignored"))
         && *waiting < limits.picks_max) {
    const auto at = state.strategy->pick(state.ready, at_us);
    if (!at)
      break;
    auto& x = *state.sources[*at];
    const auto* user = take_one(state, x);
    if (!user)
      break;
    ++*waiting;
    if (by_user && is_at_mark(state, *user)) {
      look_at_buffers(state); // it may be others' first record's, too
    } else {
      set_aside(state, x);
      state.ready[*at] = x.records.ready();
    }
    if (x.next.bytes >= limits.pick_bytes_max)
      break;
  }
}

// -- sending ------------------------------------------------------------------

namespace {

constexpr std::size_t bad_bytes_max = feed_bytes_max / 2;

/// Those that go with one message: as many as fit. One that alone is too large
/// is cut, as it would be where it is kept.
std::vector<bad_record> take_bad(std::vector<bad_record>& from) {
  std::vector<bad_record> out;
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (; count < from.size() && count < feed_records_max; ++count) {
    auto& x = from[count];
    if (x.body.size() > bad_bytes_max / 2)
      x.body.resize(refused_body_bytes_max);
    bytes += x.key.size() + x.user.size() + x.reason.size() + x.body.size();
    if (count > 0 && bytes > bad_bytes_max)
      break;
    out.push_back(std::move(x));
  }
  from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
  return out;
}

sent_records make_message_of(scheduler_actor_state& state, fed_source& x) {
  feed_records what;
  what.queue = state.settings.queue;
  what.source = x.set.name;
  what.made_us = x.set.made_us;
  what.known_max = x.set.settings.known_max;
  what.bad = take_bad(x.next.bad);
  what.records = std::exchange(x.next.records, {});
  sent_records out;
  out.batches = std::exchange(x.next.batches, {});
  x.next.bytes = 0;
  out.bad = what.bad.size();
  // All bad records up to here are durable with this message.
  if (out.bad > 0 && x.next.bad.empty())
    out.position = x.records.moved();
  out.what = caf::make_message(std::move(what));
  return out;
}

const feed_records& records_in(const caf::message& what) {
  return what.get_as<feed_records>(0);
}

/// What becomes of picks that are not in doubt any more.
void resolve(scheduler_actor_state& state, const caf::message& what) {
  const auto& records = records_in(what).records;
  state.resolved += records.size();
  if (has_user_marks(state))
    for (const auto& one : records)
      note_resolved(state, one.user);
}

/// All of them are durable.
void settle_records(scheduler_pointer self, fed_source& x,
                    const records_fed& y) {
  auto& state = self->state;
  const auto& records = records_in(x.sent->what).records;
  const bool forgets = forgets_applied(x.set.settings.kind);
  std::vector<std::string> keys;
  std::uint64_t made = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto was = i < y.was.size() ? y.was[i] : record_state::unknown;
    // It need not be asked for again: over, as far as this source goes.
    x.records.known().end(records[i].key, was == record_state::failed
                                            ? record_state::failed
                                            : record_state::finished);
    x.records.applied(x.sent->batches[i]);
    if (forgets)
      keys.push_back(records[i].key);
    // What is known of a message that was sent before may be known by that: it
    // is left there, whatever was measured meanwhile.
    if (was == record_state::unknown)
      ++made;
    else if (x.failures == 0 || seeded_bug("room_made_twice"))
      state.marks.taken_back(records[i].user);
  }
  const auto at_us = now_us(self);
  x.rate.fed(made, at_us);
  state.rate.fed(made, at_us);
  state.fed += made;
  if (x.sent->position)
    x.position = std::move(x.sent->position);
  tell_source(self, x, std::move(keys));
}

void take_fed(scheduler_pointer self, std::uint64_t source,
              const caf::message& what, const records_fed& y) {
  auto& state = self->state;
  resolve(state, what); // even if the source has gone
  if (auto* x = find_source(state, source)) {
    settle_records(self, *x, y);
    x->sent.reset();
    x->failures = 0;
    x->trouble.clear();
    x->trouble_us = never;
  }
  go_on(self);
}

void send_again_later(scheduler_pointer self, fed_source& x,
                      const caf::error& why) {
  const auto& limits = self->state.options->limits;
  const auto at_us = now_us(self);
  auto wait = limits.retry_delay;
  for (std::uint32_t i = 0; i < x.failures && wait < limits.retry_delay_max;
       ++i)
    wait *= 2;
  wait = std::min(wait, limits.retry_delay_max);
  x.again_us = at_us + std::chrono::microseconds{wait}.count();
  x.sent->waits = false;
  x.trouble = x.set.name + ": not fed: " + render(why);
  x.trouble_us = at_us;
  if (++x.failures == 1)
    spdlog::warn("source_not_fed source={} reason=\"{}\"", x.set.name,
                 render(why));
}

/// The queue's shard has met a later source of this name, of which we are still
/// to hear.
void stop_feeding(scheduler_actor_state& state, fed_source& x) {
  state.resolved += x.next.records.size();
  for (const auto& one : x.next.records)
    note_resolved(state, one.user);
  x.next = {};
  x.sent.reset();
  x.replaced = true;
}

void take_error(scheduler_pointer self, std::uint64_t source,
                const caf::message& what, const caf::error& why) {
  auto& state = self->state;
  auto* x = find_source(state, source);
  if (x && why != ec::stale_claim) {
    send_again_later(self, *x, why);
  } else {
    resolve(state, what);
    if (x)
      stop_feeding(state, *x);
  }
  go_on(self);
}

} // namespace

void send_picked(scheduler_pointer self, fed_source& x, micros at_us) {
  if (x.set.paused || x.replaced)
    return;
  if (!x.sent) {
    if (x.next.records.empty() && x.next.bad.empty())
      return;
    x.sent = make_message_of(self->state, x);
  } else if (x.sent->waits || at_us < x.again_us) {
    return;
  }
  x.sent->waits = true;
  const auto& options = *self->state.options;
  const auto source = x.number;
  const auto what = x.sent->what;
  // As a message, so that the records are not copied to be kept here.
  self
    ->request(caf::actor_cast<caf::actor>(options.shards),
              options.limits.request_timeout, what)
    .then([=](const records_fed& y) { take_fed(self, source, what, y); },
          [=](const caf::error& why) { take_error(self, source, what, why); });
}

bool is_moving(const fed_source& x) {
  return x.sent && x.sent->waits && x.failures == 0;
}

void drop_picked(scheduler_actor_state& state, fed_source& x) {
  // What waits for an answer is settled with that.
  if (x.sent && !x.sent->waits)
    resolve(state, x.sent->what);
  stop_feeding(state, x);
}

// -- positions ----------------------------------------------------------------

namespace {

/// Whether nothing of the source is left to be applied.
bool is_through(fed_source& x) {
  return x.records.state() == source_state::ended
         && x.records.buffer().size() == 0 && !x.sent && x.next.records.empty()
         && x.next.bad.empty();
}

void kept(scheduler_pointer self, std::uint64_t source, const source_read& what,
          const caf::error& failed) {
  auto* x = find_source(self->state, source);
  if (!x)
    return;
  x->keeping = false;
  if (failed) {
    spdlog::warn("position_not_kept source={} reason=\"{}\"", x->set.name,
                 render(failed));
    x->keep_again_us = now_us(self) + 1'000'000;
    x->end_kept = x->end_kept && !what.ended;
    if (!x->position && what.has_cursor)
      x->position = what.cursor;
  }
  go_on(self);
}

} // namespace

void keep(scheduler_pointer self, fed_source& x, micros at_us) {
  // Bad records of what is applied may still be on their way.
  if (x.next.bad.empty() && (!x.sent || x.sent->bad == 0))
    if (auto moved = x.records.moved())
      x.position = std::move(moved);
  const bool ends = is_through(x) && !x.end_kept;
  if (x.keeping || at_us < x.keep_again_us || (!x.position && !ends))
    return;
  source_read what;
  what.source = x.set.name;
  what.made_us = x.set.made_us;
  what.ended = ends;
  what.resumes = x.set.resumes;
  const auto cursor =
    ends || seeded_bug("position_ahead") ? x.records.cursor() : x.position;
  what.has_cursor = cursor.has_value();
  what.cursor = cursor.value_or("");
  x.position.reset();
  x.keeping = true;
  x.end_kept = x.end_kept || ends;
  const auto& options = *self->state.options;
  const auto source = x.number;
  self
    ->request(options.own, options.limits.request_timeout, keep_position{what})
    .then([=](const done&) { kept(self, source, what, caf::error{}); },
          [=](const caf::error& why) { kept(self, source, what, why); });
}

} // namespace depositd::sources
