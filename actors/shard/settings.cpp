// Who is told of changed settings of queues: the queue at once, and everybody
// who has to do with it some at a time, so that others come in between.

#include "actors/rules/control/control.hpp"
#include "actors/rules/control/stage_slots.hpp"
#include "actors/shard/parts.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace depositd::shard {

namespace {

/// Users' actors need the limits on attempts, delays and pending items.
void tell_settings(shard_pointer self, queue_number number,
                   const std::string& user, const shard_user& entry) {
  const auto& control = *self->state.control;
  const auto& queue = self->state.queues[number].name;
  change_settings news{number, control.queues.at(queue),
                       quota_of(control, queue, user).bytes_max,
                       fair_terms_of(self, queue)};
  if (news.fair.by != fair_by::turns)
    news.weight = rules::limits_of(control, queue, user).allocation;
  self->send(entry.actor, std::move(news));
}

void add_limits(shard_pointer self, queue_number number,
                const std::string& user, const shard_user& entry,
                change_limits& to) {
  const auto& state = self->state;
  const auto member = entry.members.find(number);
  if (member != entry.members.end())
    to.entries.push_back(
      {member->second, rules::limits_of(*state.control,
                                        state.queues[number].name, user)});
}

void tell_limits(shard_pointer self, queue_number number, change_limits what) {
  if (!what.entries.empty())
    self->send(self->state.queues[number].actor, std::move(what));
}

std::vector<std::string> names_in(shard_pointer self, queue_number number) {
  std::vector<std::string> out;
  if (self->state.queues[number].actor) // else it has gone
    for (const auto& [name, entry] : self->state.users)
      if (entry.members.contains(number))
        out.push_back(name);
  return out;
}

/// Tells so many of those who are to hear of the first queue, at most. How many
/// it were.
std::size_t tell_slice(shard_pointer self, std::size_t count_max) {
  const auto& state = self->state;
  auto& round = self->state.settings_told;
  const auto of = round.queues.front();
  const auto end = std::min(round.at + count_max, round.users.size());
  const auto out = end - round.at;
  change_limits limits;
  for (; round.at < end; ++round.at) {
    const auto at = state.users.find(round.users[round.at]);
    if (!state.queues[of.queue].actor || at == state.users.end()
        || !at->second.members.contains(of.queue))
      continue;
    tell_settings(self, of.queue, at->first, at->second);
    if (of.limits)
      add_limits(self, of.queue, at->first, at->second, limits);
  }
  tell_limits(self, of.queue, std::move(limits));
  return out;
}

void tell_some(shard_pointer self);

/// When those who were told have read it: they come before the journal.
void tell_more_later(shard_pointer self) {
  const auto generation = self->state.journal.generation;
  const auto go_on = [=] {
    if (self->state.journal.generation == generation)
      tell_some(self);
  };
  self->request(shard_self{self}, caf::infinite, journal::pass_journal{})
    .then([=](const done&) { go_on(); }, [=](const caf::error&) { go_on(); });
}

void tell_some(shard_pointer self) {
  auto& round = self->state.settings_told;
  std::size_t room = self->state.options.slice_items;
  while (!round.queues.empty()) {
    if (room == 0)
      return tell_more_later(self);
    if (!std::exchange(round.begun, true))
      round.users = names_in(self, round.queues.front().queue);
    room -= tell_slice(self, room);
    if (round.at < round.users.size())
      continue;
    round.queues.pop_front();
    round.users.clear();
    round.at = 0;
    round.begun = false;
  }
}

} // namespace

void send_to_queue(shard_pointer self, queue_number number) {
  auto& state = self->state;
  const auto& queue = state.queues[number];
  self->send(queue.actor,
             configure_queue{state.control->queues.at(queue.name),
                             state.control->server.suspended
                               || state.now == shard_state::phase::draining,
                             rules::workers_of(*state.control, queue.name),
                             fair_terms_of(self, queue.name)});
}

void send_settings(shard_pointer self, queue_number number, bool limits) {
  auto& queues = self->state.settings_told.queues;
  // The queue first: what users' actors tell of costs under new terms must
  // find it under them.
  send_to_queue(self, number);
  // Who was told of the first before it changed again is to be told again.
  const auto waiting = queues.empty() ? queues.end() : queues.begin() + 1;
  const auto known =
    std::find_if(waiting, queues.end(),
                 [&](const auto& x) { return x.queue == number; });
  if (known != queues.end()) {
    known->limits = known->limits || limits;
    return;
  }
  queues.push_back({number, limits});
  if (queues.size() == 1)
    tell_some(self);
}

void send_settings_to(shard_pointer self, queue_number number,
                      const std::string& user) {
  const auto& users = self->state.users;
  const auto at = users.find(user);
  if (at != users.end() && at->second.members.contains(number))
    tell_settings(self, number, user, at->second);
}

void send_limits(shard_pointer self, queue_number number,
                 const std::string& user) {
  const auto at = self->state.users.find(user);
  if (at == self->state.users.end())
    return;
  change_limits message;
  add_limits(self, number, user, at->second, message);
  tell_limits(self, number, std::move(message));
}

void tell_before_others(shard_pointer self, queue_number number,
                        const std::string& user) {
  for (const auto& x : self->state.settings_told.queues)
    if (x.queue == number) {
      send_settings_to(self, number, user);
      if (x.limits)
        send_limits(self, number, user);
    }
}

} // namespace depositd::shard
