// How much is left in the queue, or behind it.

#include "actors/sources/gauge.hpp"
#include "actors/sources/parts.hpp"
#include "messages/thread_probe.hpp"
#include "messages/values/tallies.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace depositd::sources {

namespace {

constexpr micros told_every_us = 60'000'000;

micros us_of(std::chrono::milliseconds x) {
  return std::chrono::microseconds{x}.count();
}

void forget_trouble(scheduler_actor_state& state) {
  auto& x = state.measure;
  if (x.failures > 0)
    forget_value(tally_of::downstream_silent, state.called);
  x.failures = 0;
  x.trouble.clear();
}

/// Else the queue is measured.
bool has_downstream(const scheduler_actor_state& state) {
  return !state.settings.downstream.empty();
}

/// A queue that is not there yet has nothing.
bool is_no_queue(const scheduler_actor_state& state, const caf::error& why) {
  return !has_downstream(state) && why == ec::not_found;
}

void take_left(scheduler_pointer self, std::uint64_t left,
               std::uint64_t resolved_before) {
  auto& state = self->state;
  auto& x = state.measure;
  const auto& limits = state.options->limits;
  x.under_way = false;
  x.calls_for_quiet = false;
  if (x.failures > 0)
    spdlog::info("scheduler_measures_again scheduler={} left={}", state.called,
                 left);
  forget_trouble(state);
  const auto shortest = has_downstream(state) ? limits.gauge_pause
                                              : limits.hold_pause;
  const auto longest = std::max(shortest, limits.hold_pause_max);
  const bool moves = !state.marks.known() || left != x.left_last;
  x.pause_us = moves
                 ? us_of(shortest)
                 : std::clamp(2 * x.pause_us, us_of(shortest), us_of(longest));
  x.left_last = left;
  // What was not known to be durable when it was asked may be missing in it.
  state.marks.measured(left, state.picked - resolved_before);
  go_on(self);
}

/// Said when it begins, and now and then while it lasts.
void note_trouble(scheduler_pointer self, const caf::error& why) {
  auto& state = self->state;
  auto& x = state.measure;
  const std::string who = has_downstream(state) ? "the downstream"
                                                : "the queue";
  x.trouble = "waits: " + who + " of scheduler " + state.called
              + " does not say how much is left: " + render(why);
  const auto at_us = now_us(self);
  note_value(tally_of::downstream_silent, state.called, {}, 1);
  if (x.failures == 1)
    x.trouble_us = at_us;
  if (x.failures > 1 && at_us < x.told_us + told_every_us)
    return;
  x.told_us = at_us;
  spdlog::warn("scheduler_waits scheduler={} for={} failures={} reason=\"{}\"",
               state.called, has_downstream(state) ? "downstream" : "queue",
               x.failures, render(why));
}

void note_no_answer(scheduler_pointer self, const caf::error& why) {
  auto& x = self->state.measure;
  const auto& limits = self->state.options->limits;
  x.under_way = false;
  x.calls_for_quiet = false; // what the last number allows is fed
  ++x.failures;
  note_trouble(self, why);
  x.pause_us = std::min(us_of(limits.retry_delay_max),
                        us_of(limits.retry_delay)
                          << std::min<std::uint32_t>(x.failures, 10));
}

void take_no_answer(scheduler_pointer self, const caf::error& why) {
  note_no_answer(self, why);
  go_on(self);
}

gauge_actor spawn_gauge(scheduler_pointer self) {
  const auto& state = self->state;
  gauge_options out;
  out.make_gauge = [options = state.options, by = state.settings]()
    -> caf::expected<std::unique_ptr<downstream_gauge>> {
    if (!options->make_gauge)
      return caf::make_error(ec::bad_setting,
                             std::string{"a downstream cannot be asked here"});
    return options->make_gauge(by);
  };
  if (state.options->running)
    out.counted = state.options->running->one();
  auto& system = self->home_system();
  if (!state.options->threads)
    return system.spawn(gauge, std::move(out));
  look_for_thread();
  return system.spawn<caf::detached>(gauge, std::move(out));
}

/// Null if there is one already; else why there can be none.
caf::error open_gauge(scheduler_pointer self) {
  auto& state = self->state;
  if (state.gauge)
    return {};
  try {
    state.gauge = spawn_gauge(self);
    return {};
  } catch (const std::exception& why) {
    return caf::make_error(ec::overloaded,
                           std::string{"no thread can be had: "} + why.what());
  }
}

/// Sends the question to the gauge or to the queue's shard.
void ask_left(scheduler_pointer self) {
  auto& state = self->state;
  const auto& limits = state.options->limits;
  const auto number = ++state.measure.number;
  const auto before = state.resolved;
  const auto is_newest = [=] { return self->state.measure.number == number; };
  const auto failed = [=](const caf::error& why) {
    if (!is_newest())
      return;
    if (is_no_queue(self->state, why))
      take_left(self, 0, before);
    else
      take_no_answer(self, why);
  };
  if (!has_downstream(state)) {
    self
      ->request(state.options->shards, limits.measure_timeout,
                measure_queue{state.settings.queue, {}})
      .then(
        [=](const queue_measured& x) {
          if (is_newest())
            take_left(self, x.left, before);
        },
        failed);
    return;
  }
  if (const auto why = open_gauge(self))
    return note_no_answer(self, why);
  // It keeps its own time; a second question would but wait behind the first.
  const auto patience = limits.measure_timeout.count();
  self
    ->request(state.gauge, caf::infinite,
              read_gauge{static_cast<std::uint64_t>(patience)})
    .then(
      [=](const gauge_read& x) {
        if (is_newest())
          take_left(self, x.left, before);
      },
      failed);
}

} // namespace

void measure(scheduler_pointer self, micros at_us) {
  auto& state = self->state;
  auto& x = state.measure;
  if (x.under_way)
    return;
  if (at_us < measure_due_us(state)) {
    // What was known already has left room: there is no need to ask so soon.
    x.calls_for_quiet = false;
    return;
  }
  // A downstream may take its time, and says nothing exact anyway.
  x.calls_for_quiet = !has_downstream(state);
  const bool moves =
    std::any_of(state.sources.begin(), state.sources.end(),
                [](const auto& source) { return is_moving(*source); });
  if (x.calls_for_quiet && moves)
    return; // the last answer brings us back
  x.under_way = true;
  x.asked_us = at_us;
  ask_left(self);
}

micros measure_due_us(const scheduler_actor_state& state) {
  const auto& x = state.measure;
  if (x.under_way)
    return never;
  const bool waits =
    !state.marks.known() || state.marks.room() == 0 || x.failures > 0;
  const auto pause_us =
    waits ? x.pause_us : us_of(state.options->limits.look_pause);
  return std::max<micros>(x.asked_us + pause_us, 1);
}

void forget_measured(scheduler_actor_state& state) {
  forget_trouble(state);
  state.marks = rules::marks{state.settings};
  const auto number = state.measure.number + 1; // answers on their way
  state.measure = {};
  state.measure.number = number;
}

} // namespace depositd::sources
