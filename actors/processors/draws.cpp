// A slot that may draw from several doors: which is asked next, and how it
// keeps knowing how many users wait behind each.

#include "actors/processors/parts.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::processor_parts {

namespace {

/// Numbers of users are asked for again after so many draws, or so much time.
constexpr std::uint32_t draws_per_count = 16;
constexpr std::chrono::seconds count_every{1};
/// An engine that hangs is noticed by its connection, but late.
constexpr std::chrono::seconds silence_max{2};

std::size_t place_of(self_pointer self, const processor_door& door) {
  return static_cast<std::size_t>(&door - self->state.doors.data());
}

/// Nobody waits for the answer, and there is one question at a time.
void count(self_pointer self, processor_door& door) {
  if (door.number == 0 || std::exchange(door.counting, true))
    return;
  work what;
  what.processor = door.number;
  what.counts = true;
  self->send(door.queue, std::move(what));
}

void count_all(self_pointer self) {
  auto& state = self->state;
  state.draws = 0;
  state.counted_at = self->clock().now();
  for (auto& door : state.doors)
    count(self, door);
}

void await_answers(self_pointer self) {
  self->state.asked_at = self->clock().now();
  look_later(self);
}

/// Numbers that were asked for now are there. What a door said a moment ago is
/// good enough to choose among many, but not to wait at all because of it.
bool numbers_are_new(self_pointer self) {
  auto& state = self->state;
  if (!std::exchange(state.recounting, true)) {
    count_all(self);
    await_answers(self);
  }
  if (std::any_of(state.doors.begin(), state.doors.end(),
                  [](const auto& x) { return x.counting && !x.silent; }))
    return false;
  state.recounting = false;
  state.numbers = user_numbers::fresh;
  return true;
}

void wait_at_all(self_pointer self) {
  auto& state = self->state;
  state.waits_at_all = true;
  for (auto& door : state.doors)
    if (door.number != 0)
      ask(self, door, 1, true);
}

/// Credit that a door could not serve is void.
void missed(self_pointer self, processor_door& door) {
  if (door.credit == 0)
    return;
  door.credit = 0;
  self->state.visits.weigh(place_of(self, door), 0);
  draw(self);
}

void counted(self_pointer self, processor_door& door, std::uint32_t eligible) {
  door.counting = false;
  self->state.visits.weigh(place_of(self, door), eligible);
  if (self->state.recounting)
    draw(self);
}

/// For the door that was asked, or for numbers to choose by.
bool awaits_answers(self_pointer self) {
  const auto& state = self->state;
  return state.recounting || (!state.waits_at_all && credit_out(self) > 0);
}

/// What a silent door says later is welcome.
void go_on_without(self_pointer self) {
  auto& state = self->state;
  for (auto& door : state.doors) {
    if (door.credit == 0 && !(state.recounting && door.counting))
      continue;
    spdlog::info("door_silent sp={} queue={} shard={}", state.options.name,
                 state.options.queue, door.shard);
    door.silent = true;
    state.visits.weigh(place_of(self, door), 0);
    if (std::exchange(door.credit, 0) > 0)
      self->send(door.queue, withdraw{door.number});
    count(self, door); // so that it says when it is back
  }
  draw(self);
}

} // namespace

void probe(self_pointer self) {
  auto& state = self->state;
  auto next = state.visits.next();
  if (state.numbers == user_numbers::old
      || (!next && state.numbers != user_numbers::fresh)) {
    if (!numbers_are_new(self))
      return; // `counted` goes on
    next = state.visits.next();
  }
  if (!next) {
    wait_at_all(self);
    return;
  }
  state.waits_at_all = false;
  ask(self, state.doors[*next], 1, false);
  await_answers(self);
  if (++state.draws >= draws_per_count)
    count_all(self);
}

void open_visits(self_pointer self, processor_door& door) {
  door.counting = false;
  if (self->state.doors.size() > 1)
    count(self, door);
}

void close_visits(self_pointer self, const processor_door& door) {
  self->state.visits.weigh(place_of(self, door), 0);
}

void take_count(self_pointer self, const handed& x) {
  auto& doors = self->state.doors;
  const auto& who = self->current_sender();
  if (!who || doors.size() < 2)
    return;
  const auto at = std::find_if(
    doors.begin(), doors.end(),
    [&](const auto& y) { return y.queue && y.queue.address() == who; });
  if (at == doors.end() || at->number == 0)
    return;
  at->silent = false;
  if (x.counted)
    counted(self, *at, x.eligible);
  else
    missed(self, *at);
}

void arrived(self_pointer self, processor_door& door) {
  auto& state = self->state;
  door.credit -= std::min(door.credit, 1u);
  door.silent = false;
  if (state.doors.size() < 2)
    return;
  for (auto& other : state.doors)
    if (&other != &door && other.credit > 0) {
      self->send(other.queue, withdraw{other.number});
      other.credit = 0;
    }
  const auto place = place_of(self, door);
  if (door.number != 0 && state.visits.weight(place) == 0)
    state.visits.weigh(place, 1); // there was somebody after all
  state.visits.served(place);
  state.recounting = false;
  if (std::exchange(state.waits_at_all, false))
    state.numbers = user_numbers::old;
  else if (state.numbers == user_numbers::fresh)
    state.numbers = user_numbers::usable;
}

void look_later(self_pointer self) {
  auto& state = self->state;
  if (state.doors.size() < 2 || std::exchange(state.look_due, true))
    return;
  self->delayed_send(self, count_every, look_at_doors{});
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

} // namespace depositd::processor_parts
