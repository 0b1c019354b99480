#include "actors/sources/scheduler.hpp"

#include "actors/sources/parts.hpp"
#include "messages/shard.hpp"
#include "messages/values/tallies.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace depositd::sources {

// -- what it has --------------------------------------------------------------

puller::puller(source_actor who, std::shared_ptr<reader_handle> reader)
  : actor_(std::move(who)), reader_(std::move(reader)) {
  // nop
}

puller::puller(puller&& other) noexcept {
  *this = std::move(other);
}

puller& puller::operator=(puller&& other) noexcept {
  std::swap(busy, other.busy);
  std::swap(cancelled_us, other.cancelled_us);
  std::swap(actor_, other.actor_);
  std::swap(reader_, other.reader_);
  return *this;
}

puller::~puller() {
  if (!actor_)
    return;
  if (busy != 0)
    cancel();
  caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown);
}

void puller::cancel() const noexcept {
  if (reader_)
    reader_->cancel();
}

void puller::lose() noexcept {
  actor_ = nullptr;
  reader_ = nullptr;
  busy = 0;
}

namespace {

/// What is remembered here only saves questions to the queue's shard, which
/// decides: a few buffers' worth is enough to see that a batch brings nothing
/// new. Of a folder, which is read in passes, it takes all of a pass.
constexpr std::uint64_t known_beside_buffers = 100'000;

} // namespace

source_settings settings_here(source_settings by) {
  if (by.kind != source_kind::folder)
    by.known_max =
      std::min(by.known_max, 4 * by.capacity + known_beside_buffers);
  return by;
}

fed_source::fed_source(const source_changed& as_set, std::uint64_t its_number,
                       std::uint64_t body_bytes_max)
  : number(its_number), set(as_set),
    records(as_set.name, settings_here(as_set.settings), body_bytes_max) {
  // nop
}

fed_source* find_source(scheduler_actor_state& state, std::uint64_t number) {
  for (const auto& x : state.sources)
    if (x->number == number)
      return x.get();
  return nullptr;
}

fed_source* find_source(scheduler_actor_state& state, const std::string& name) {
  for (const auto& x : state.sources)
    if (x->set.name == name)
      return x.get();
  return nullptr;
}

scheduler_actor_state::~scheduler_actor_state() {
  if (measure.failures > 0)
    forget_value(tally_of::downstream_silent, called);
  caf::anon_send_exit(gauge, caf::exit_reason::user_shutdown);
}

micros now_us(scheduler_pointer self) {
  return self->state.options->clock.at(self->clock().now());
}

// -- time ---------------------------------------------------------------------

namespace {

/// The earlier of two times, of which either may be `never`.
micros earlier(micros x, micros y) {
  if (x == never || y == never)
    return std::max(x, y);
  return std::min(x, y);
}

micros source_due_us(const scheduler_actor_state& state, const fed_source& x) {
  auto out = replenish_due_us(state, x);
  if (x.sent && !x.sent->waits && !x.set.paused)
    out = earlier(out, x.again_us);
  if (x.position && !x.keeping)
    out = earlier(out, x.keep_again_us);
  return out;
}

/// Something that is due already waits for an answer, and then it is looked
/// again anyway: a moment later is soon enough.
constexpr micros wake_after_us_min = 1'000;

/// Timers cannot be taken back, so one that comes early enough is enough.
void wake_in_time(scheduler_pointer self, micros at_us) {
  auto& state = self->state;
  // Where it waits for quiet, an answer says when that is.
  const bool quiets = state.measure.calls_for_quiet;
  auto due_us =
    earlier(quiets ? never : measure_due_us(state), ask_users_due_us(state));
  for (const auto& x : state.sources)
    due_us = earlier(due_us, source_due_us(state, *x));
  if (state.strategy && !quiets && state.marks.room() > 0)
    due_us = earlier(due_us, state.strategy->next_us(state.ready, at_us));
  if (due_us == never)
    return;
  due_us = std::max(due_us, at_us + wake_after_us_min);
  if (!state.wakes.empty() && *state.wakes.begin() <= due_us)
    return;
  state.wakes.insert(due_us);
  self->delayed_send(self, std::chrono::microseconds{due_us - at_us},
                     look_at_sources{due_us});
}

} // namespace

void go_on(scheduler_pointer self) {
  auto& state = self->state;
  if (!state.begun)
    return;
  const auto at_us = now_us(self);
  measure(self, at_us);
  ask_users(self, at_us);
  pick(self, at_us);
  for (const auto& x : state.sources) {
    send_picked(self, *x, at_us);
    replenish(self, *x, at_us);
    keep(self, *x, at_us);
  }
  wake_in_time(self, at_us);
}

scheduler_self::behavior_type
scheduler(scheduler_pointer self, const std::string& called,
          std::shared_ptr<const schedulers_options> options) {
  auto& state = self->state;
  state.options = std::move(options);
  state.called = called;
  if (state.options->running)
    state.counted = state.options->running->one();
  return {
    [=](const control_changed& x) {
      follow_settings(self, *x.state);
      go_on(self);
    },
    [=](const look_at_sources& x) {
      self->state.wakes.erase(x.due_us);
      go_on(self);
    },
    [=](const report_schedulers&) { return report(self); },
    [=](const find_record& x) { return find_one(self, x); },
    [=](const explain_strategy& x) { return explain(self, x); },
    [=](const test_source& x) { return test_one(self, x); },
    [=](const feed_by_hand& x) { return feed_hand(self, x); },
  };
}

} // namespace depositd::sources
