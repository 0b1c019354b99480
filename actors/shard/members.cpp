#include "actors/rules/control/control.hpp"
#include "actors/rules/control/stage_slots.hpp"
#include "actors/rules/control/telling.hpp"
#include "actors/shard/parts.hpp"
#include "messages/values/operations.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace depositd::shard {

namespace {

void spawn_user(shard_pointer self, const std::string& user, shard_user& entry,
                users::recovered_ledgers found) {
  const auto& state = self->state;
  const auto& options = state.options;
  entry.actor = self->spawn<caf::linked>(
    users::user,
    users::user_options{user, state.journal, options.epoch, options.clock,
                        options.budget, options.slice_items,
                        shard_inside_actor{shard_self{self}}},
    std::move(found)); // the user's alone from here on
}

/// Gives the user a number in the queue. What the queue is to be told of the
/// user, with what recovery found of it, if anything.
introduce introduction_of(shard_pointer self, const std::string& user,
                          queue_number number, const rules::ledger* found) {
  auto& state = self->state;
  auto& queue = state.queues[number];
  introduce out;
  if (queue.members_free.empty()) {
    out.member = queue.members_next++;
  } else {
    out.member = queue.members_free.back();
    queue.members_free.pop_back();
  }
  out.user = user;
  out.limits = rules::limits_of(*state.control, queue.name, user);
  const auto stood = state.rings.find({queue.name, user});
  if (stood != state.rings.end()) {
    const auto& x = stood->second;
    out.stamp = x.stamp;
    out.credit = x.credit;
    if (x.since == fair_terms_of(self, queue.name).since)
      out.paid = x.paid;
    state.rings.erase(stood);
  }
  if (found != nullptr) {
    out.ready = found->ready_counts();
    out.in_flight = found->claims();
    out.items = found->size();
    out.parked = found->parked();
    out.arrived = found->arrivals();
    out.oldest_us = found->oldest_ready();
  }
  return out;
}

/// Makes the queue and the user known to each other.
void introduce_to(shard_pointer self, shard_user& entry, queue_number number,
                  introduce x) {
  auto& state = self->state;
  const auto& queue = state.queues[number];
  serve_queue also;
  also.queue = number;
  also.actor = caf::actor_cast<caf::strong_actor_ptr>(queue.actor);
  also.name = queue.name;
  also.settings = state.control->queues.at(queue.name);
  also.member = x.member;
  also.bytes_max = quota_of(*state.control, queue.name, x.user).bytes_max;
  also.fair = fair_terms_of(self, queue.name);
  also.paid = x.paid;
  also.weight = x.limits.allocation;
  entry.members.emplace(number, x.member);
  x.actor = caf::actor_cast<caf::strong_actor_ptr>(entry.actor);
  // The queue hears of the user before its actor can send it anything.
  self->send(queue.actor, std::move(x));
  self->send(entry.actor, std::move(also));
}

/// The user's actor serves the outbox, too, if the user may be told anything.
void serve_outbox(shard_pointer self, const std::string& user,
                  shard_user& entry) {
  const auto& control = *self->state.control;
  const auto number = find_queue(self, notify_queue);
  if (number && entry.members.count(*number) == 0
      && rules::may_be_told(control, user))
    introduce_to(self, entry, *number,
                 introduction_of(self, user, *number, nullptr));
}

bool is_of_deposits(shard_pointer self, queue_number number) {
  const auto& state = self->state;
  const auto at = state.control->queues.find(state.queues[number].name);
  return at != state.control->queues.end()
         && at->second.kind == queue_kind::deposit;
}

/// The actor left: remembers where its user stood in each ring.
void user_left(shard_pointer self, const std::string& user) {
  auto& state = self->state;
  const auto members = std::move(state.users.at(user).members);
  auto waiting = std::move(state.users.at(user).waiting);
  state.users.erase(user);
  for (const auto& [number, member] : members) {
    const auto key = std::pair{state.queues[number].name, user};
    const auto generation = state.journal.generation;
    // Both come from the queue's answer, so the number is only given again
    // when the queue has forgotten it.
    if (!state.queues[number].actor)
      continue; // a queue that has gone, and its ring with it
    self
      ->request(state.queues[number].actor, caf::infinite,
                forget_member{member})
      .then(
        [=, number = number, member = member](const member_forgotten& x) {
          if (self->state.journal.generation != generation
              || !self->state.queues[number].actor)
            return;
          self->state.queues[number].members_free.push_back(member);
          if (x.stamp > 0 || x.paid.spent > 0)
            self->state.rings.try_emplace(
              key, ring_place{x.stamp, x.credit, x.paid, x.fair.since});
        },
        [](const caf::error&) { /* the queue is gone: so is its ring */ });
  }
  for (auto& action : waiting)
    action();
}

void user_stays(shard_pointer self, const std::string& user) {
  auto& entry = self->state.users.at(user);
  entry.retiring = false;
  entry.used_us = now(self);
  spread_telling(self, &user); // it may have passed the user by
  for (auto& action : std::exchange(entry.waiting, {}))
    action();
}

} // namespace

std::optional<queue_number> find_queue(shard_pointer self,
                                       const std::string& name) {
  const auto at = self->state.queue_numbers.find(name);
  if (at == self->state.queue_numbers.end())
    return std::nullopt;
  return at->second;
}

std::vector<queue_number> queues_here(shard_pointer self) {
  const auto& queues = self->state.queues;
  std::vector<queue_number> out;
  for (queue_number i = 0; i < queues.size(); ++i)
    if (queues[i].actor)
      out.push_back(i);
  return out;
}

fair_terms fair_terms_of(shard_pointer self, const std::string& queue) {
  const auto& all = self->state.control->fairness;
  const auto at = all.find(queue);
  return at == all.end() ? fair_terms{}
                         : fair_terms{at->second.by, at->second.since};
}

queue_number spawn_queue(shard_pointer self, const std::string& name) {
  auto& state = self->state;
  const auto number = static_cast<queue_number>(state.queues.size());
  queue::queue_options options;
  options.name = name;
  options.journal = state.journal;
  options.number = number;
  options.settings = state.control->queues.at(name);
  options.server_suspended = state.control->server.suspended
                             || state.now == shard_state::phase::draining;
  options.workers = rules::workers_of(*state.control, name);
  options.fair = fair_terms_of(self, name);
  auto& out = state.queues.emplace_back();
  out.name = name;
  out.actor = self->spawn<caf::linked>(queue::queue, std::move(options));
  out.used_us = now(self);
  state.queue_numbers.emplace(name, number);
  return number;
}

shard_user& reach_user(shard_pointer self, const std::string& user,
                       queue_number number) {
  auto& state = self->state;
  auto [at, fresh] = state.users.try_emplace(user);
  auto& entry = at->second;
  assert(!entry.retiring && "use with_user");
  if (fresh)
    spawn_user(self, user, entry, {});
  entry.used_us = now(self);
  if (!state.queues[number].actor)
    return entry; // deleted while the user's actor was asked to leave
  if (entry.members.count(number) == 0) {
    introduce_to(self, entry, number,
                 introduction_of(self, user, number, nullptr));
    if (is_of_deposits(self, number))
      serve_outbox(self, user, entry);
  } else {
    tell_before_others(self, number, user);
  }
  if (!entry.works
      && state.control->queues.at(state.queues[number].name).kind
           == queue_kind::stage)
    begin_work(self, user);
  return entry;
}

void restore_user(shard_pointer self, const std::string& user,
                  users::recovered_user found) {
  auto& state = self->state;
  const auto time = now(self);
  auto kept = std::make_shared<users::recovered_user>();
  std::vector<std::pair<queue_number, introduce>> introductions;
  for (auto& [name, ledger] : found.ledgers) {
    const auto number = find_queue(self, name);
    if (!number || ledger.idle())
      continue;
    // Settings may stand behind the items in the journal.
    ledger.configure(name, state.control->queues.at(name), size_classes{});
    ledger.wake(time);
    ledger.take_changes();
    introductions.emplace_back(*number,
                               introduction_of(self, user, *number, &ledger));
    kept->ledgers.emplace(name, std::move(ledger));
  }
  if (introductions.empty())
    return;
  auto& entry = state.users[user];
  entry.used_us = time;
  const bool works = !found.work.empty();
  kept->work = std::move(found.work);
  kept->origins = std::move(found.origins);
  spawn_user(self, user, entry, std::move(kept));
  for (auto& [number, x] : introductions)
    introduce_to(self, entry, number, std::move(x));
  for (const auto& [number, x] : introductions)
    if (is_of_deposits(self, number))
      serve_outbox(self, user, entry);
  if (works)
    begin_work(self, user);
}

void spread_telling(shard_pointer self, const std::string* user) {
  const auto serve = [&](const std::string& name, shard_user& entry) {
    const auto deposits = [&](const auto& x) {
      return is_of_deposits(self, x.first);
    };
    if (!entry.retiring
        && std::any_of(entry.members.begin(), entry.members.end(), deposits))
      serve_outbox(self, name, entry);
  };
  auto& users = self->state.users;
  if (user == nullptr) {
    for (auto& [name, entry] : users)
      serve(name, entry);
  } else if (const auto at = users.find(*user); at != users.end()) {
    serve(at->first, at->second);
  }
}

bool is_retiring(shard_pointer self, const std::string& user) {
  const auto at = self->state.users.find(user);
  return at != self->state.users.end() && at->second.retiring;
}

void with_user(shard_pointer self, const std::string& user, queue_number number,
               std::function<void(const user_actor&)> deliver) {
  if (is_retiring(self, user))
    self->state.users.at(user).waiting.push_back(
      [=, deliver = std::move(deliver)] {
        deliver(reach_user(self, user, number).actor);
      });
  else
    deliver(reach_user(self, user, number).actor);
}

void when_certain(shard_pointer self, const std::string& user,
                  std::function<void()> act) {
  if (is_retiring(self, user))
    self->state.users.at(user).waiting.push_back(std::move(act));
  else
    act();
}

std::vector<std::string> members_of(shard_pointer self, queue_number queue) {
  std::vector<std::string> out;
  for (const auto& [name, entry] : self->state.users)
    if (entry.members.count(queue) > 0)
      out.push_back(name);
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

using user_names = std::shared_ptr<const std::vector<std::string>>;

bool is_idle(shard_pointer self, const shard_user& x) {
  const std::chrono::microseconds idle = self->state.options.idle_max;
  return !x.retiring && now(self) - x.used_us >= idle.count();
}

/// Asks some of them, and the next ones when these have answered: others come
/// in between.
void retire_some(shard_pointer self, const user_names& names,
                 std::size_t from = 0) {
  auto& state = self->state;
  if (from >= names->size() || state.now != shard_state::phase::serving)
    return;
  const auto generation = state.journal.generation;
  const auto end =
    std::min<std::size_t>(from + state.options.slice_items, names->size());
  const auto open = std::make_shared<std::size_t>(1); // ours
  const auto answered = [=] {
    if (--*open == 0)
      retire_some(self, names, end);
  };
  for (; from < end; ++from) {
    const auto at = state.users.find((*names)[from]);
    if (at == state.users.end() || !is_idle(self, at->second))
      continue;
    ++*open;
    at->second.retiring = true;
    // Who answers late has left all the same.
    self->request(at->second.actor, caf::infinite, retire{})
      .then(
        [=, user = at->first](const retired& x) {
          if (self->state.journal.generation != generation)
            return;
          if (x.left)
            user_left(self, user);
          else
            user_stays(self, user);
          answered();
        },
        [=, user = at->first](const caf::error&) {
          if (self->state.journal.generation != generation)
            return;
          user_stays(self, user);
          answered();
        });
  }
  answered();
}

} // namespace

void sweep(shard_pointer self) {
  if (self->state.now != shard_state::phase::serving)
    return;
  const auto idle = std::make_shared<std::vector<std::string>>();
  for (const auto& [name, entry] : self->state.users)
    if (is_idle(self, entry))
      idle->push_back(name);
  retire_some(self, idle);
}

} // namespace depositd::shard
