// Objects are deleted with consent, given back, and stored again, by the
// program's desk and reconciler.

#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace depositd::simulation {

void world::open_office() {
  if (!knobs_.deletions)
    return;
  order_office::surroundings around;
  around.system = &system_;
  around.told = &told_;
  around.waits = waiting_by(deletion_chance_);
  around.users = knobs_.users;
  around.checks = knobs_.checks;
  around.now_us = [this] { return now_us(); };
  around.wall_us = [this] { return wall_offset_us_ + now_us(); };
  around.change = [this](std::vector<event> x, std::function<void()> then) {
    change(std::move(x), std::move(then));
  };
  office_ = std::make_unique<order_office>(std::move(around));
}

void world::spawn_orders(simulated_engine& engine) {
  if (!office_)
    return;
  engine.orders = office_->spawn(
    {engine.core.shard, engine.core.projector,
     engine_clock{wall_offset_us_ + now_us(), scheduler_.clock().now()},
     nullptr});
}

std::function<bool()> world::leads(const sharing_engine& engine) {
  return [owned = engine.owned] {
    const auto ours = owned->get().shards;
    return std::any_of(ours.begin(), ours.end(),
                       [](const auto& x) { return x.shard == 0; });
  };
}

/// Of several engines one queues what was missed.
void world::spawn_orders(sharing_engine& engine) {
  if (!office_)
    return;
  engine.orders = office_->spawn(
    {engine.router, engine.reader,
     engine_clock{engine.wall_offset_us + now_us(), scheduler_.clock().now()},
     leads(engine)});
}

void world::end_orders(const order_actors& who) {
  const auto kill = [](const auto& x) {
    if (x)
      caf::anon_send_exit(caf::actor_cast<caf::actor>(x),
                          caf::exit_reason::kill);
  };
  kill(who.due);
  kill(who.desk);
  kill(who.catalogue);
}

order_office::way_in world::office_of_some_engine() {
  if (!is_shared())
    return engine_ ? order_office::way_in{engine_->core.shard, engine_->orders}
                   : order_office::way_in{};
  const auto* engine = some_engine();
  return engine == nullptr ? order_office::way_in{}
                           : order_office::way_in{engine->router,
                                                  engine->orders};
}

std::vector<std::string> world::order_queues() const {
  return office_ ? office_->queues() : std::vector<std::string>{};
}

void world::step_of_deletions() {
  auto& any = deletion_chance_;
  if (any.one_in(6)) {
    const auto queues = order_queues();
    return add_stage_worker(
      queues[any.below(static_cast<std::uint32_t>(queues.size()))]);
  }
  if (const auto to = office_of_some_engine(); to.shards)
    office_->step(to);
}

void world::drain_deletions() {
  const auto goes_on
    = [this] { return office_->any_unqueued() || office_->any_unchecked(); };
  for (int i = 0; office_ && i < 40 && goes_on(); ++i) {
    mend_work(i % 2 == 1);
    if (const auto to = office_of_some_engine(); to.shards)
      office_->queue_missed(to);
    let_time_pass(i < 5 ? 2s : 6s);
  }
  if (office_ && office_->any_unchecked())
    tell(left_over{"a file that nobody checks any more"});
}

} // namespace depositd::simulation
