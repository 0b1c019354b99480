// What operators do to a running engine.

#include "messages/operators.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <algorithm>

namespace depositd::simulation {

void world::change(std::vector<event> changes, std::function<void()> then) {
  if (is_shared() ? engines_up() == 0 : !engine_)
    return;
  const auto number = ++proposals_;
  tell(proposed{number, changes});
  ask(propose{std::move(changes)}, [=, this](const done&) {
    tell(in_force{number});
    confirmed_ = std::max(confirmed_, number);
    if (then)
      then();
  });
}

void world::change_limits() {
  user_limits_changed x;
  x.queue = any_queue();
  x.user = any_user();
  x.has_allocation = chance_.one_in(2);
  x.allocation = chance_.below(4);
  x.has_concurrency = chance_.one_in(2);
  x.concurrency = chance_.below(4);
  change({x});
}

void world::change_eligibility() {
  user_eligibility_changed x;
  x.user = any_user();
  x.held = knobs_.holds && chance_.one_in(3);
  x.prohibited = knobs_.prohibitions && chance_.one_in(3);
  change({x});
}

void world::change_fairness() {
  constexpr fair_by ways[] = {fair_by::turns, fair_by::bytes, fair_by::seconds};
  fairness_changed x;
  x.queue = queue_names[cost_chance_.below(3)];
  x.by = ways[cost_chance_.below(3)];
  change({x});
}

/// As `queue set` does: to all who have something in the queue.
void world::change_queue() {
  const std::string name = queue_names[queue_chance_.below(4)];
  auto settings = queues_set_.at(name);
  if (queue_chance_.one_in(2))
    settings.concurrency = 1 + queue_chance_.below(4);
  if (queue_chance_.one_in(2))
    settings.allocation = 1 + queue_chance_.below(3);
  if (queue_chance_.one_in(3))
    settings.pending_limit = 5 + queue_chance_.below(20);
  if (queue_chance_.one_in(3))
    settings.attempts_max = 1 + queue_chance_.below(5);
  settings.suspended = queue_chance_.one_in(4);
  change({queue_changed{name, settings}});
}

void world::suspend() {
  suspended_ = !suspended_;
  change({server_changed{suspended_, true}});
}

void world::park() {
  park_matching what;
  what.queue = any_queue();
  what.users = {any_user()};
  what.to_us = wall_offset_us_ * 2;
  what.parked = chance_.one_in(2);
  ask(std::move(what), [](const matching_parked&) {});
}

/// One of those that depositors were told of, or all of somebody's.
void world::cancel() {
  if (submitted_.empty() || cancel_chance_.one_in(4)) {
    cancel_matching what;
    what.queue = "metadata";
    what.users = {std::string{"u"}.append(
      std::to_string(cancel_chance_.below(knobs_.users)))};
    what.to_us = wall_offset_us_ * 2;
    what.reason = "unwanted";
    tell(cancel_wanted{0, what.users[0]});
    return ask(std::move(what), [](const matching_cancelled&) {});
  }
  const auto last = static_cast<std::uint32_t>(submitted_.size());
  const auto back = cancel_chance_.below(std::min<std::uint32_t>(last, 8));
  const auto& one = submitted_[last - 1 - back];
  tell(cancel_wanted{one.id, one.user});
  ask(cancel_deposit{one.id, one.user, "unwanted"},
      [this, id = one.id](const done&) { tell(cancelled_as_wanted{id}); });
}

void world::purge() {
  ask(purge_queue{any_queue()}, [](const done&) {});
}

} // namespace depositd::simulation
