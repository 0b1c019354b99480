// A slot that may draw from several ports: which is asked next, and how it
// keeps knowing how many users wait behind each.

#include "actors/processors/parts.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::processors {

namespace {

/// Numbers of users are asked for again after so many draws, or so much time.
constexpr std::uint32_t draws_per_count = 16;
constexpr std::chrono::seconds count_every{1};
/// An engine that hangs is noticed by its connection, but late.
constexpr std::chrono::seconds silence_max{2};

std::size_t place_of(self_pointer self, const processor_port& port) {
  return static_cast<std::size_t>(&port - self->state.ports.data());
}

/// Nobody waits for the answer, and there is one question at a time.
void count(self_pointer self, processor_port& port) {
  if (port.number == 0 || std::exchange(port.counting, true))
    return;
  settle_and_request what;
  what.processor = port.number;
  what.counts = true;
  self->send(port.queue, std::move(what));
}

void count_all(self_pointer self) {
  auto& state = self->state;
  state.draws = 0;
  state.counted_at = self->clock().now();
  for (auto& port : state.ports)
    count(self, port);
}

void await_answers(self_pointer self) {
  self->state.asked_at = self->clock().now();
  look_later(self);
}

/// Numbers that were asked for now are there. What a port said a moment ago is
/// good enough to choose among many, but not to wait at all because of it.
bool numbers_are_new(self_pointer self) {
  auto& state = self->state;
  if (!std::exchange(state.recounting, true)) {
    count_all(self);
    await_answers(self);
  }
  if (std::any_of(state.ports.begin(), state.ports.end(),
                  [](const auto& x) { return x.counting && !x.silent; }))
    return false;
  state.recounting = false;
  state.numbers = user_numbers::fresh;
  return true;
}

void wait_at_all(self_pointer self) {
  auto& state = self->state;
  state.waits_at_all = true;
  for (auto& port : state.ports)
    if (port.number != 0)
      ask(self, port, 1, true);
}

/// Credit that a port could not serve is void.
void missed(self_pointer self, processor_port& port) {
  if (port.credit == 0)
    return;
  port.credit = 0;
  self->state.draw_weights.weigh(place_of(self, port), 0);
  draw(self);
}

void counted(self_pointer self, processor_port& port, std::uint32_t eligible) {
  port.counting = false;
  self->state.draw_weights.weigh(place_of(self, port), eligible);
  if (self->state.recounting)
    draw(self);
}

/// For the port that was asked, or for numbers to choose by.
bool awaits_answers(self_pointer self) {
  const auto& state = self->state;
  return state.recounting || (!state.waits_at_all && credit_out(self) > 0);
}

/// What a silent port says later is welcome.
void go_on_without(self_pointer self) {
  auto& state = self->state;
  for (auto& port : state.ports) {
    if (port.credit == 0 && !(state.recounting && port.counting))
      continue;
    spdlog::info("door_silent sp={} queue={} shard={}", state.options.name,
                 state.options.queue, port.shard);
    port.silent = true;
    state.draw_weights.weigh(place_of(self, port), 0);
    if (std::exchange(port.credit, 0) > 0)
      self->send(port.queue, cancel_credit{port.number});
    count(self, port); // so that it says when it is back
  }
  draw(self);
}

} // namespace

void probe(self_pointer self) {
  auto& state = self->state;
  auto next = state.draw_weights.next();
  if (state.numbers == user_numbers::old
      || (!next && state.numbers != user_numbers::fresh)) {
    if (!numbers_are_new(self))
      return; // `counted` goes on
    next = state.draw_weights.next();
  }
  if (!next) {
    wait_at_all(self);
    return;
  }
  state.waits_at_all = false;
  ask(self, state.ports[*next], 1, false);
  await_answers(self);
  if (++state.draws >= draws_per_count)
    count_all(self);
}

void open_draws(self_pointer self, processor_port& port) {
  port.counting = false;
  if (self->state.ports.size() > 1)
    count(self, port);
}

void close_draws(self_pointer self, const processor_port& port) {
  self->state.draw_weights.weigh(place_of(self, port), 0);
}

void take_count(self_pointer self, const deliver& x) {
  auto& ports = self->state.ports;
  const auto& who = self->current_sender();
  if (!who || ports.size() < 2)
    return;
  const auto at = std::find_if(ports.begin(), ports.end(), [&](const auto& y) {
    return y.queue && y.queue.address() == who;
  });
  if (at == ports.end() || at->number == 0)
    return;
  at->silent = false;
  if (x.counted)
    counted(self, *at, x.eligible);
  else
    missed(self, *at);
}

void arrived(self_pointer self, processor_port& port) {
  auto& state = self->state;
  port.credit -= std::min(port.credit, 1u);
  port.silent = false;
  if (state.ports.size() < 2)
    return;
  for (auto& other : state.ports)
    if (&other != &port && other.credit > 0) {
      self->send(other.queue, cancel_credit{other.number});
      other.credit = 0;
    }
  const auto place = place_of(self, port);
  if (port.number != 0 && state.draw_weights.weight(place) == 0)
    state.draw_weights.weigh(place, 1); // there was somebody after all
  state.draw_weights.served(place);
  state.recounting = false;
  if (std::exchange(state.waits_at_all, false))
    state.numbers = user_numbers::old;
  else if (state.numbers == user_numbers::fresh)
    state.numbers = user_numbers::usable;
}

void look_later(self_pointer self) {
  auto& state = self->state;
  if (state.ports.size() < 2 || std::exchange(state.look_due, true))
    return;
  self->delayed_send(self, count_every, look_at_ports{});
}

void look_again(self_pointer self) {
  auto& state = self->state;
  state.look_due = false;
  if (state.finishing)
    return;
  const auto now = self->clock().now();
  if (state.in_work > 0 && now - state.counted_at >= count_every)
    count_all(self);
  if (awaits_answers(self) && now - state.asked_at >= silence_max)
    go_on_without(self);
  if (state.in_work > 0 || awaits_answers(self))
    look_later(self);
}

} // namespace depositd::processors
