// Processors inside each of several engines, as the program has them: slots
// that draw from every shard. Only their handlers are the simulation's.

#include "actors/processors/manager.hpp"
#include "tests/simulation/world.hpp"

namespace depositd::simulation {

namespace {

using simulated_handler = handler_actor::extend<caf::reacts_to<act>>;

} // namespace

handler_actor world::spawn_handler(std::uint32_t number) {
  return system_.spawn([=, this](simulated_handler::pointer self)
                         -> simulated_handler::behavior_type {
    return {
      [=, this](const handle_item& x) -> caf::result<outcome> {
        const auto& item = x.item;
        tell(handed_out{number, x.queue, item.id, item.token, item.attempt,
                        item.user, name_of_body(x.queue, item.body)});
        outcome what;
        what.id = item.id;
        what.token = item.token;
        what.member = item.member;
        static constexpr verdict verdicts[] = {verdict::done, verdict::done,
                                               verdict::failed, verdict::retry,
                                               verdict::release};
        if (!calm_)
          what.says = verdicts[chance_.below(5)];
        if (x.queue == "metadata")
          what = with_its_file(number, item, what);
        what.tell = x.queue == "metadata" && is_to_be_told();
        auto promise = self->make_response_promise<outcome>();
        auto finish = [=, this]() mutable {
          tell(reported{number, what.id, what.token, what.says, {},
                        what.tell});
          promise.deliver(what);
        };
        auto takes = some_ms(chance_.one_in(4) ? 8000 : 400);
        if (knobs_.processor_pauses && chance_.one_in(12))
          takes = some_ms(60'000);
        // Longer than it takes a shard to come to this engine and to go again.
        if (knobs_.links && link_chance_.one_in(6))
          takes = std::chrono::milliseconds{link_chance_.below(60'000)};
        self->delayed_send(
          self, calm_ ? 1ms : takes,
          act{[=](caf::event_based_actor*) mutable { finish(); }});
        return promise;
      },
      [](act& x) { x.what(nullptr); },
    };
  });
}

void world::spawn_slots(sharing_engine& on) {
  on.worker = ++worker_numbers_;
  // More may come and go.
  tell(processor_joined{
    on.worker, "metadata", {}, knobs_.slots + (knobs_.accounts ? 3U : 0U)});
  processors::processor_manager_options options;
  options.shard = on.router;
  options.spawn_handler = [this, number = on.worker] {
    return spawn_handler(number);
  };
  options.clock =
    engine_clock{on.wall_offset_us + now_us(), scheduler_.clock().now()};
  options.engine = on.name;
  on.slots = system_.spawn(processors::processor_manager, std::move(options));
}

} // namespace depositd::simulation
