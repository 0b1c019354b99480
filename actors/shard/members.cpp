#include "actors/rules/control/control.hpp"
#include "actors/shard/parts.hpp"

#include <cassert>

namespace depositd::shard {

namespace {

users::user_options node_options(shard_pointer self, const std::string& user) {
  const auto& state = self->state;
  const auto& options = state.options;
  return {user,          options.journal, state.generation, options.epoch,
          options.clock, options.budget,  options.backlog};
}

/// Gives the user a number in the queue and makes the two known to each other.
void introduce_to(shard_pointer self, const std::string& user,
                  shard_user& entry, queue_number number) {
  auto& state = self->state;
  auto& queue = state.queues[number];
  member_number member = 0;
  if (queue.members_free.empty()) {
    member = queue.members_next++;
  } else {
    member = queue.members_free.back();
    queue.members_free.pop_back();
  }
  entry.members.emplace(number, member);
  introduce message;
  message.member = member;
  message.user = user;
  message.actor = caf::actor_cast<caf::strong_actor_ptr>(entry.actor);
  message.limits = rules::limits_of(*state.control, queue.name, user);
  const auto stood = state.rings.find({queue.name, user});
  if (stood != state.rings.end()) {
    std::tie(message.stamp, message.credit) = stood->second;
    state.rings.erase(stood);
  }
  // The queue hears of the user before its actor can send it anything.
  self->send(queue.actor, std::move(message));
  self->send(entry.actor,
             serve_queue{number,
                         caf::actor_cast<caf::strong_actor_ptr>(queue.actor),
                         queue.name, state.control->queues.at(queue.name),
                         size_classes{}, 0, member});
}

/// The actor left: remembers where its user stood in each ring.
void node_left(shard_pointer self, const std::string& user) {
  auto& state = self->state;
  const auto members = std::move(state.users.at(user).members);
  auto waiting = std::move(state.users.at(user).waiting);
  state.users.erase(user);
  for (const auto& [number, member] : members) {
    const auto key = std::pair{state.queues[number].name, user};
    const auto generation = state.generation;
    // Both come from the queue's answer, so the number is only given again
    // when the queue has forgotten it.
    self
      ->request(state.queues[number].actor, state.options.request_timeout,
                forget_member{member})
      .then(
        [=, number = number, member = member](const member_forgotten& x) {
          if (self->state.generation != generation)
            return;
          self->state.queues[number].members_free.push_back(member);
          if (x.stamp > 0)
            self->state.rings.try_emplace(key, x.stamp, x.credit);
        },
        [](const caf::error&) { /* the queue is gone: so is its ring */ });
  }
  for (auto& action : waiting)
    action();
}

void node_stays(shard_pointer self, const std::string& user) {
  auto& entry = self->state.users.at(user);
  entry.retiring = false;
  entry.used_us = now(self);
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

queue_number spawn_queue(shard_pointer self, const std::string& name) {
  auto& state = self->state;
  const auto number = static_cast<queue_number>(state.queues.size());
  queue::queue_options options;
  options.name = name;
  options.number = number;
  options.settings = state.control->queues.at(name);
  options.server_suspended = state.control->server.suspended
                             || state.now == shard_state::phase::draining;
  state.queues.push_back(
    {name, self->spawn<caf::linked>(queue::queue, std::move(options)), 0, {}});
  state.queue_numbers.emplace(name, number);
  return number;
}

shard_user& reach_user(shard_pointer self, const std::string& user,
                       queue_number number) {
  auto& state = self->state;
  auto [at, fresh] = state.users.try_emplace(user);
  auto& entry = at->second;
  assert(!entry.retiring && "use with_node");
  if (fresh)
    entry.actor = self->spawn<caf::linked>(
      users::user, node_options(self, user), users::recovered_ledgers{});
  if (entry.members.count(number) == 0)
    introduce_to(self, user, entry, number);
  entry.used_us = now(self);
  return entry;
}

void with_user(shard_pointer self, const std::string& user, queue_number number,
               std::function<void(const user_actor&)> deliver) {
  const auto at = self->state.users.find(user);
  if (at != self->state.users.end() && at->second.retiring) {
    at->second.waiting.push_back([=, deliver = std::move(deliver)] {
      deliver(reach_user(self, user, number).actor);
    });
    return;
  }
  deliver(reach_user(self, user, number).actor);
}

void send_limits(shard_pointer self, queue_number number,
                 const std::string* user) {
  auto& state = self->state;
  const auto& queue = state.queues[number];
  change_limits message;
  const auto add = [&](const std::string& name, const shard_user& entry) {
    const auto member = entry.members.find(number);
    if (member != entry.members.end())
      message.entries.push_back(
        {member->second, rules::limits_of(*state.control, queue.name, name)});
  };
  if (user == nullptr) {
    for (const auto& [name, entry] : state.users)
      add(name, entry);
  } else if (const auto at = state.users.find(*user); at != state.users.end()) {
    add(at->first, at->second);
  }
  if (!message.entries.empty())
    self->send(queue.actor, std::move(message));
}

void sweep(shard_pointer self) {
  auto& state = self->state;
  if (state.now != shard_state::phase::serving)
    return;
  const auto idle_us = std::chrono::duration_cast<std::chrono::microseconds>(
                         state.options.idle_max)
                         .count();
  const auto time = now(self);
  const auto generation = state.generation;
  for (auto& [name, entry] : state.users) {
    if (entry.retiring || time - entry.used_us < idle_us)
      continue;
    entry.retiring = true;
    self->request(entry.actor, state.options.request_timeout, retire{})
      .then(
        [=, user = name](const retired& x) {
          if (self->state.generation != generation)
            return;
          if (x.left)
            node_left(self, user);
          else
            node_stays(self, user);
        },
        [=, user = name](const caf::error&) {
          if (self->state.generation == generation)
            node_stays(self, user);
        });
  }
}

} // namespace depositd::shard
