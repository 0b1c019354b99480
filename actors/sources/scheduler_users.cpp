// `high_per_user`: records of users who have enough are set aside, and come
// back before all others when there is room for them.

#include "actors/sources/parts.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace depositd::sources {

namespace {

micros us_in(std::chrono::milliseconds x) {
  return std::chrono::microseconds{x}.count();
}

/// Whether the first record of the source may be this user's.
bool may_feed(const scheduler_actor_state& state, const fed_source& x,
              const std::string& user) {
  if (x.brought_back.contains(user))
    return true;
  const auto at = state.users.all.find(user);
  return at != state.users.all.end() && at->second.known
         && !is_at_mark(state, user);
}

/// Users of whom nothing waits or is on its way are asked for when they come
/// again.
void prune_users(scheduler_actor_state& state) {
  auto& users = state.users;
  const auto most = state.options->limits.users_known_max;
  if (users.all.size() < std::max(most, users.prune_at))
    return;
  std::erase_if(users.all, [&](const auto& entry) {
    const auto& [name, x] = entry;
    if (x.picked != x.resolved || x.reserved > 0 || users.fresh.contains(name)
        || users.at_mark.contains(name))
      return false;
    state.marks.measured_user(name, 0);
    return true;
  });
  users.prune_at = 2 * users.all.size();
}

/// Of those that are known to be at their mark, others every time.
void add_in_turn(user_marks& users, std::vector<std::string>& to,
                 std::size_t most) {
  auto at = users.at_mark.upper_bound(users.asked_last);
  for (std::size_t i = 0; i < users.at_mark.size() && to.size() < most; ++i) {
    if (at == users.at_mark.end())
      at = users.at_mark.begin();
    users.asked_last = *at;
    to.push_back(*at++);
  }
}

/// What room there is for the user now goes to the sources that have set its
/// records aside.
void bring_back(scheduler_actor_state& state, const std::string& name,
                marked_user& x) {
  const auto left = state.marks.room(name);
  auto room = left > x.reserved ? left - x.reserved : 0;
  bool waits = false;
  for (const auto& source : state.sources) {
    auto& buffer = source->records.buffer();
    if (buffer.aside(name) == 0)
      continue;
    const auto count = source->set.paused ? 0 : buffer.bring_back(name, room);
    if (count > 0) {
      source->brought_back[name] += count;
      x.reserved += count;
      room -= count;
    }
    waits = waits || buffer.aside(name) > 0;
  }
  if (!waits)
    state.users.at_mark.erase(name);
}

/// By position: the users that were asked for, and what of their records was
/// resolved then.
using asked_users = std::vector<std::pair<std::string, std::uint64_t>>;

void take_numbers(scheduler_pointer self, const asked_users& asked,
                  const std::vector<std::uint64_t>& left) {
  auto& state = self->state;
  auto& users = state.users;
  const auto& limits = state.options->limits;
  users.asking = false;
  bool moved = false;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto& [name, resolved_before] = asked[i];
    const auto at = users.all.find(name);
    if (at == users.all.end())
      continue; // all were forgotten meanwhile
    auto& x = at->second;
    const auto on_the_way = x.picked - std::min(x.picked, resolved_before);
    state.marks.measured_user(name,
                              (i < left.size() ? left[i] : 0) + on_the_way);
    x.known = true;
    if (users.fresh.erase(name) > 0)
      users.at_mark.insert(name);
    const auto reserved = x.reserved;
    bring_back(state, name, x);
    moved = moved || x.reserved != reserved;
  }
  const auto shortest = us_in(limits.hold_pause);
  const auto longest = us_in(limits.hold_pause_max);
  users.pause_us =
    moved ? shortest : std::clamp(2 * users.pause_us, shortest, longest);
  go_on(self);
}

} // namespace

bool has_user_marks(const scheduler_actor_state& state) {
  return state.settings.high_per_user != no_mark;
}

bool is_at_mark(const scheduler_actor_state& state, const std::string& user) {
  const auto at = state.users.all.find(user);
  const auto reserved = at == state.users.all.end() ? 0 : at->second.reserved;
  return state.marks.room(user) <= reserved;
}

void set_aside(scheduler_actor_state& state, fed_source& x) {
  if (!has_user_marks(state) || x.set.paused)
    return;
  auto& buffer = x.records.buffer();
  while (const auto first = buffer.front()) {
    const std::string user{first->user};
    if (may_feed(state, x, user))
      return;
    prune_users(state);
    (state.users.all[user].known ? state.users.at_mark : state.users.fresh)
      .insert(user);
    buffer.set_aside();
  }
}

void note_picked(scheduler_actor_state& state, fed_source* x,
                 const std::string& user) {
  if (!has_user_marks(state))
    return;
  auto& of = state.users.all[user];
  ++of.picked;
  if (!x)
    return;
  const auto back = x->brought_back.find(user);
  if (back == x->brought_back.end())
    return;
  --of.reserved;
  if (--back->second == 0)
    x->brought_back.erase(back);
}

void note_resolved(scheduler_actor_state& state, const std::string& user) {
  const auto at = state.users.all.find(user);
  if (at != state.users.all.end() && at->second.resolved < at->second.picked)
    ++at->second.resolved;
}

void ask_users(scheduler_pointer self, micros at_us) {
  auto& state = self->state;
  auto& users = state.users;
  const auto due_us = ask_users_due_us(state);
  if (due_us == never || at_us < due_us)
    return;
  const auto most = state.options->limits.users_asked_max;
  measure_queue what{state.settings.queue, {}};
  for (const auto& name : users.fresh)
    if (what.users.size() < most)
      what.users.push_back(name);
  add_in_turn(users, what.users, most);
  asked_users asked;
  for (const auto& name : what.users)
    asked.emplace_back(name, users.all[name].resolved);
  users.asking = true;
  users.asked_us = at_us;
  const auto number = users.number;
  self
    ->request(state.options->shards, state.options->limits.measure_timeout,
              std::move(what))
    .then(
      [=](const queue_measured& x) {
        if (self->state.users.number == number)
          take_numbers(self, asked, x.of_users);
      },
      [=](const caf::error& why) {
        if (self->state.users.number != number)
          return;
        if (why == ec::not_found) // nobody has anything in no queue
          return take_numbers(self, asked, {});
        self->state.users.asking = false;
        self->state.users.not_before_us =
          now_us(self) + us_in(self->state.options->limits.retry_delay_max);
        go_on(self);
      });
}

micros ask_users_due_us(const scheduler_actor_state& state) {
  const auto& users = state.users;
  if (users.asking || (users.fresh.empty() && users.at_mark.empty()))
    return never;
  // Of whom nothing is known, nothing is fed: that is asked at once.
  const auto due_us =
    users.fresh.empty() ? users.asked_us + users.pause_us : micros{1};
  return std::max(due_us, users.not_before_us);
}

void give_back(scheduler_actor_state& state, fed_source& x) {
  for (const auto& [name, count] : x.brought_back)
    state.users.all[name].reserved -= count;
  x.brought_back.clear();
}

void forget_users(scheduler_actor_state& state) {
  for (const auto& x : state.sources) {
    for (const auto& [name, of] : state.users.all)
      x->records.buffer().bring_back(name, x->records.buffer().aside(name));
    x->brought_back.clear();
  }
  for (const auto& [name, of] : state.users.all)
    state.marks.measured_user(name, 0);
  const auto number = state.users.number + 1; // answers on their way
  state.users = {};
  state.users.number = number;
}

void begin_users(scheduler_actor_state& state) {
  for (const auto& x : state.sources) {
    for (const auto& one : x->next.records)
      ++state.users.all[one.user].picked;
    if (x->sent)
      for (const auto& one : x->sent->what.get_as<feed_records>(0).records)
        ++state.users.all[one.user].picked;
  }
}

} // namespace depositd::sources
