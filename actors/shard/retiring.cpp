// Queues that came with their first use go when nobody uses them any longer.
// One shard alone does so: it sees all that is in a queue, and whoever uses it.

#include "actors/rules/control/founding.hpp"
#include "actors/shard/parts.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace depositd::shard {

namespace {

/// Asked at one time; the others are at the next.
constexpr std::size_t asked_max = 100;

bool is_empty(const queue_report& x) {
  return x.items == 0 && x.in_flight == 0 && x.processors == 0;
}

void ask(shard_pointer self, queue_number number) {
  auto& queue = self->state.queues[number];
  queue.asked = true;
  const auto generation = self->state.journal.generation;
  self
    ->request(queue.actor, self->state.options.request_timeout, report_queue{})
    .then(
      [=, used_us = queue.used_us](const queue_report& x) {
        auto& state = self->state;
        if (state.journal.generation != generation)
          return;
        auto& asked = state.queues[number];
        asked.asked = false;
        // Whoever has come meanwhile has been sent to it.
        if (state.now != shard_state::phase::serving || !is_empty(x)
            || asked.used_us != used_us
            || !rules::may_retire(*state.control, asked.name))
          return;
        spdlog::info("queue_retired queue={}", asked.name);
        commit_control(self,
                       {queue_retired{asked.name, ring_of(self, number)}});
      },
      [=](const caf::error&) {
        if (self->state.journal.generation == generation)
          self->state.queues[number].asked = false;
      });
}

} // namespace

std::vector<std::string> ring_of(shard_pointer self, queue_number number) {
  auto out = members_of(self, number);
  const auto& rings = self->state.rings;
  const auto& name = self->state.queues[number].name;
  for (auto at = rings.lower_bound({name, ""});
       at != rings.end() && at->first.first == name; ++at)
    out.push_back(at->first.second);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void retire_queues(shard_pointer self) {
  auto& state = self->state;
  const std::chrono::microseconds idle = state.options.queue_idle_max;
  if (idle.count() == 0 || state.options.router
      || state.now != shard_state::phase::serving)
    return;
  const auto before = now(self) - idle.count();
  std::size_t count = 0;
  for (const auto& [name, founded] : state.control->founders) {
    const auto number = find_queue(self, name);
    if (!number || state.queues[*number].asked
        || state.queues[*number].used_us > before
        || !rules::may_retire(*state.control, name))
      continue;
    ask(self, *number);
    if (++count == asked_max)
      return;
  }
}

void forget_queue(shard_pointer self, const queue_retired& x) {
  auto& state = self->state;
  const auto number = find_queue(self, x.queue);
  if (!number)
    return;
  auto& queue = state.queues[*number];
  for (const auto& user : x.users) {
    state.rings.erase({x.queue, user});
    const auto at = state.users.find(user);
    if (at != state.users.end() && at->second.members.erase(*number) > 0)
      self->send(at->second.actor, leave_queue{*number});
  }
  self->unlink_from(queue.actor);
  self->send_exit(queue.actor, caf::exit_reason::kill);
  // Its number is not given again: somebody may still have it in mind.
  queue = shard_queue{};
  state.queue_numbers.erase(x.queue);
}

} // namespace depositd::shard
