// What operators do to a running engine.

#include "messages/operators.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

namespace depositd::simulation {

void world::change(std::vector<event> changes) {
  if (is_shared() ? engines_up() == 0 : !engine_)
    return;
  const auto number = ++proposals_;
  tell(proposed{number, changes});
  ask(propose{std::move(changes)}, [=, this](const done&) {
    tell(in_force{number});
    confirmed_ = std::max(confirmed_, number);
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

void world::purge() {
  ask(purge_queue{any_queue()}, [](const done&) {});
}

} // namespace depositd::simulation
