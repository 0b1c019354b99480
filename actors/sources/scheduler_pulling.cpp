// Buffers are filled, beside the feeding: one replenish of a source at a time,
// by an actor that may wait.

#include "actors/sources/parts.hpp"

#include "messages/thread_probe.hpp"

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace depositd::sources {

namespace {

constexpr micros us_per_ms = 1'000;

micros patience_us(const scheduler_actor_state& state) {
  return state.options->limits.cancel_patience.count() * us_per_ms;
}

/// Whoever was at this replenish has returned. One that was left behind is not
/// needed any more.
void returned(fed_source& x, std::uint64_t replenish) {
  if (x.reading.busy == replenish)
    x.reading.busy = 0;
  std::erase_if(x.left_behind,
                [&](const puller& other) { return other.busy == replenish; });
}

void note_failure(scheduler_pointer self, fed_source& x,
                  std::uint64_t replenish, const std::string& reason) {
  if (x.records.failed(replenish, reason, now_us(self))
      && x.records.facts().failures == 1)
    spdlog::warn("source_failed source={} reason=\"{}\"", x.set.name, reason);
}

void take_batch(scheduler_pointer self, std::uint64_t source,
                records_pulled& x) {
  auto* to = find_source(self->state, source);
  if (!to)
    return;
  returned(*to, x.number);
  auto taken = to->records.brought(x.number, std::move(x.batch), now_us(self));
  if (taken) {
    std::move(taken->bad.begin(), taken->bad.end(),
              std::back_inserter(to->next.bad));
    tell_source(self, *to, std::move(taken->applied_again));
  }
  go_on(self); // even if it came too late: there is a reader again
}

void take_failure(scheduler_pointer self, std::uint64_t source,
                  std::uint64_t replenish, const caf::error& why) {
  auto* x = find_source(self->state, source);
  if (!x)
    return;
  // CAF says it, not the reader: the actor is gone.
  if (why.category() == caf::atom("system") && x->reading.busy == replenish)
    x->reading.lose();
  returned(*x, replenish);
  note_failure(self, *x, replenish, render(why));
  go_on(self);
}

/// Null if there is one already; else why there can be none.
caf::error open_puller(scheduler_pointer self, fed_source& x) {
  if (x.reading.actor())
    return {};
  try {
    x.reading = spawn_puller(self, x);
    return {};
  } catch (const std::exception& why) {
    return caf::make_error(ec::overloaded,
                           std::string{"no thread can be had: "} + why.what());
  }
}

/// A reader that is too late for its replenish may return soon after it was
/// cancelled; one that does not, must not hold the source up for ever.
bool is_free(const scheduler_actor_state& state, fed_source& x, micros at_us) {
  const auto most = state.options->limits.left_behind_max;
  if (x.reading.busy == 0)
    return x.left_behind.size() <= most;
  if (at_us < x.reading.cancelled_us + patience_us(state)
      || x.left_behind.size() >= most)
    return false;
  x.reading.cancel(); // perhaps it had not begun when it was told
  spdlog::warn("source_reader_left_behind source={}", x.set.name);
  x.left_behind.push_back(std::move(x.reading));
  x.reading = puller{};
  return true;
}

bool may_begin(const scheduler_actor_state& state, const fed_source& x,
               micros at_us) {
  const auto due_us = x.records.due_us();
  return !x.records.on_its_way() && due_us != never && due_us <= at_us
         && x.next.bad.size() < state.options->limits.bad_max;
}

} // namespace

bool forgets_applied(source_kind kind) noexcept {
  return kind == source_kind::sqs || kind == source_kind::queue;
}

puller spawn_puller(scheduler_pointer self, const fed_source& x) {
  const auto& options = self->state.options;
  source_options out;
  out.make_reader = [options, name = x.set.name, by = x.set.settings] {
    return options->make_reader(name, by);
  };
  if (options->running)
    out.counted = options->running->one();
  const auto reader = out.reader;
  auto& system = self->home_system();
  if (options->spawn_source)
    return {options->spawn_source(out), reader};
  if (options->threads) {
    look_for_thread();
    return {system.spawn<caf::detached>(source, std::move(out)), reader};
  }
  return {system.spawn(source, std::move(out)), reader};
}

void replenish(scheduler_pointer self, fed_source& x, micros at_us) {
  if (const auto late = x.records.expire(at_us)) {
    if (x.reading.busy == *late) {
      x.reading.cancel();
      x.reading.cancelled_us = at_us;
    }
    if (x.records.facts().failures == 1)
      spdlog::warn("source_failed source={} reason=\"{}\"", x.set.name,
                   x.records.facts().error);
  }
  if (!may_begin(self->state, x, at_us) || !is_free(self->state, x, at_us))
    return;
  const auto what = x.records.start(at_us);
  if (!what)
    return;
  if (const auto wrong = open_puller(self, x))
    return note_failure(self, x, what->number, render(wrong));
  x.reading.busy = what->number;
  const auto source = x.number;
  const auto number = what->number;
  // It has a deadline of its own, at which it is cancelled.
  self
    ->request(x.reading.actor(), caf::infinite,
              pull_records{number, what->limit, what->cursor,
                           x.set.settings.timeout_ms})
    .then(
      [=](records_pulled& got) { take_batch(self, source, got); },
      [=](const caf::error& why) { take_failure(self, source, number, why); });
}

micros replenish_due_us(const scheduler_actor_state& state,
                        const fed_source& x) {
  const auto due_us = x.records.due_us();
  if (x.records.on_its_way() || due_us == never)
    return due_us;
  if (x.next.bad.size() >= state.options->limits.bad_max)
    return never;
  const auto most = state.options->limits.left_behind_max;
  if (x.reading.busy == 0)
    return x.left_behind.size() <= most ? due_us : never;
  if (x.left_behind.size() >= most)
    return never;
  return std::max(due_us, x.reading.cancelled_us + patience_us(state));
}

void change_reader(fed_source& x, micros at_us) {
  if (x.reading.busy == 0) {
    x.reading = puller{};
    return;
  }
  x.records.failed(x.reading.busy, "its settings were changed", at_us);
  x.reading.cancel();
  x.left_behind.push_back(std::move(x.reading));
  x.reading = puller{};
}

void tell_source(scheduler_pointer self, fed_source& x,
                 std::vector<std::string> keys) {
  if (!keys.empty() && x.reading.actor()
      && forgets_applied(x.set.settings.kind))
    self->send(x.reading.actor(), tell_applied{std::move(keys)});
}

} // namespace depositd::sources
