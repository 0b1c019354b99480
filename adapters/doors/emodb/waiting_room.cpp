#include "adapters/doors/emodb/waiting_room.hpp"

#include "adapters/doors/emodb/waiting_parts.hpp"
#include "messages/follow_control.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace depositd::emodb {

namespace waiting {

namespace {

/// Takes it out of the count.
void count_out(self_pointer self, const waiting_one& x) {
  auto& state = self->state;
  --state.waiting;
  const auto at = state.waiting_of.find(x.poll->what.taker);
  if (--at->second == 0)
    state.waiting_of.erase(at);
}

} // namespace

waited_queue* find_queue(self_pointer self, const std::string& name) {
  const auto at = self->state.queues.find(name);
  return at == self->state.queues.end() ? nullptr : &at->second;
}

bool is_over(self_pointer self, const waiting_one& x) {
  return x.until <= self->clock().now() || x.poll->over();
}

bool is_refused(self_pointer self, const waiting_one& x) {
  if (!x.poll->refused())
    return false;
  count_out(self, x);
  return true;
}

void leave(self_pointer self, const waiting_one& x,
           std::vector<received_item> items) {
  count_out(self, x);
  x.poll->found(std::move(items));
}

void turn_away(self_pointer self, const waiting_one& x, const caf::error& why) {
  count_out(self, x);
  x.poll->failed(why);
}

namespace {

void look_soon(self_pointer self) {
  if (!std::exchange(self->state.looking, true))
    self->delayed_send(self, self->state.options.tick, look_at_waiting{});
}

/// The newest of the taker, among those that do not ask just now.
bool send_away_one_of(self_pointer self, const std::string& taker) {
  waited_queue* in = nullptr;
  std::deque<waiting_one>::iterator newest;
  for (auto& [name, x] : self->state.queues)
    for (auto at = x.polls.begin(); at != x.polls.end(); ++at)
      if (at->poll->what.taker == taker
          && (in == nullptr || at->number > newest->number)) {
        in = &x;
        newest = at;
      }
  if (in == nullptr)
    return false;
  const auto one = *newest;
  in->polls.erase(newest);
  leave(self, one, std::vector<received_item>{});
  return true;
}

/// The room is full: whoever has the most places in it gives one up for who
/// has fewer, and is told that there was nothing.
bool make_room(self_pointer self, const std::string& taker) {
  const auto& all = self->state.waiting_of;
  const auto most = std::max_element(
    all.begin(), all.end(),
    [](const auto& x, const auto& y) { return x.second < y.second; });
  const auto own = all.find(taker);
  const auto have = own == all.end() ? 0 : own->second;
  return most != all.end() && most->second > have + 1
         && send_away_one_of(self, std::string{most->first});
}

void take_in(self_pointer self, const wait_for_items& what) {
  auto& state = self->state;
  const auto& name = what.poll->what.queue;
  const auto& taker = what.poll->what.taker;
  if (state.waiting >= state.options.waiting_max && !make_room(self, taker)) {
    what.poll->failed(
      caf::make_error(ec::overloaded, std::string{"too many polls wait"}));
    return;
  }
  auto& x = state.queues[name];
  x.polls.push_back({what.poll, self->clock().now() + what.poll->wait,
                     ++state.arrived});
  ++state.waiting;
  ++state.waiting_of[taker];
  if (x.ports.empty())
    open(self, name, x);
  else if (!x.asking && !x.pausing)
    ask_counts(self, x); // something may have come since it asked
  look_soon(self);
}

/// Answers those whose time is over, or whose right, and leaves queues that
/// nobody waits for.
void look(self_pointer self) {
  auto& state = self->state;
  state.looking = false;
  for (auto at = state.queues.begin(); at != state.queues.end();) {
    auto& x = at->second;
    std::deque<waiting_one> stay;
    for (auto& one : x.polls)
      if (is_refused(self, one))
        continue;
      else if (is_over(self, one))
        leave(self, one, {});
      else
        stay.push_back(std::move(one));
    x.polls = std::move(stay);
    if (x.polls.empty() && !x.asking && !x.opening) {
      close(self, x);
      at = state.queues.erase(at);
      continue;
    }
    open(self, at->first, x);
    ++at;
  }
  if (!state.queues.empty())
    look_soon(self);
}

void take_count(self_pointer self, const deliver& x) {
  const auto& who = self->current_sender();
  if (!who || x.eligible == 0)
    return;
  for (auto& [name, queue] : self->state.queues)
    for (const auto& port : queue.ports)
      if (port.queue.address() == who)
        return serve(self, name, queue);
}

} // namespace

} // namespace waiting

void give_back(const waiting_room_actor& room, const receive_items& from,
               const std::vector<received_item>& items,
               std::chrono::steady_clock::time_point since) {
  const auto lease = std::chrono::milliseconds{from.lease_ms};
  if (std::chrono::steady_clock::now() >= since + lease)
    return;
  give_back_items what{from, {}};
  for (const auto& x : items)
    if (x.name.id != 0)
      what.names.push_back(x.name);
  if (!what.names.empty())
    caf::anon_send(room, std::move(what));
}

waiting_room_self::behavior_type
waiting_room(actor_with<waiting_room_state>* self,
             waiting_room_options options) {
  using namespace waiting;
  self->state.options = std::move(options);
  follow_control(self, self->state.options.shard);
  self->set_down_handler(
    [=](const caf::down_msg& x) { port_down(self, x); });
  return {
    [=](const wait_for_items& x) { take_in(self, x); },
    [=](const give_back_items& x) { give_back(self, x); },
    [=](const deliver& x) { take_count(self, x); },
    [=](const control_changed& x) {
      self->state.control = x.state;
      for (auto& [name, queue] : self->state.queues)
        open(self, name, queue);
    },
    [=](look_at_waiting) { look(self); },
    [=](const look_at_queue& x) {
      if (auto* at = find_queue(self, x.queue)) {
        at->pausing = false;
        ask_counts(self, *at);
      }
    },
  };
}

} // namespace depositd::emodb
