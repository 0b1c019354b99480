// Those who tell depositors what became of theirs: they may fail, dawdle, die,
// and be nobody for a while.

#include "messages/operators.hpp"
#include "messages/values/operations.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace depositd::simulation {

queue_changed world::outbox_as_set() {
  queue_changed out{notify_queue, outbox_queue_defaults()};
  out.settings.attempts_max = 1 + notify_chance_.below(4);
  out.settings.retry_delay_ms = 500;
  out.settings.retry_delay_ms_max = 8'000;
  return out;
}

bool world::is_to_be_told() {
  return knobs_.notifying && !notify_chance_.one_in(3);
}

void world::step_of_notifying() {
  switch (notify_chance_.below(8)) {
    default:
      return send_deposit();
    case 0:
    case 1:
      return add_teller();
    case 2:
      return crash_teller();
    case 3:
      return take_back_notifications();
    case 4: // those whose deposits go are told of it
      return notify_chance_.one_in(4)
               ? ask(purge_queue{"metadata"}, [](const done&) {})
               : send_deposit();
  }
}

void world::add_teller() {
  std::uint32_t alive = 0;
  for (const auto& worker : workers_)
    alive += !worker->gone && worker->queue == notify_queue;
  if (alive >= tellers_max_)
    return send_deposit();
  auto who = std::make_shared<simulated_worker>();
  who->queue = notify_queue;
  who->slots = 1 + notify_chance_.below(3);
  if (notify_chance_.one_in(2))
    who->lease_ms = 2000 + notify_chance_.below(8000);
  spawn_worker(std::move(who));
}

void world::crash_teller() {
  std::vector<simulated_worker*> alive;
  for (const auto& worker : workers_)
    if (!worker->gone && worker->queue == notify_queue)
      alive.push_back(worker.get());
  if (alive.empty())
    return add_teller();
  end_worker(*alive[notify_chance_.below(
    static_cast<std::uint32_t>(alive.size()))]);
}

void world::take_back_notifications() {
  if (!knobs_.notifying)
    return;
  park_matching back;
  back.queue = notify_queue;
  back.to_us = wall_offset_us_ * 2;
  back.parked = false;
  ask(std::move(back), [](const matching_parked&) {});
}

} // namespace depositd::simulation
