#include "actors/processor.hpp"

#include <spdlog/spdlog.h>

namespace depositd {

namespace {

using self_pointer = processor_self::stateful_pointer<processor_state>;

void ask(self_pointer self, std::vector<outcome> outcomes) {
  auto& state = self->state;
  self->send(state.options.door, work{state.number, state.finishing ? 0u : 1u,
                                      std::move(outcomes)});
}

void join(self_pointer self) {
  const auto& options = self->state.options;
  self
    ->request(options.door, options.request_timeout,
              attach{processor_actor{self},
                     options.name + "/" + std::to_string(options.slot),
                     options.wants, 0})
    .then(
      [=](const attached& x) {
        self->state.number = x.processor;
        ask(self, {});
      },
      [=](const caf::error& why) {
        spdlog::error("processor_not_attached sp={} queue={} reason=\"{}\"",
                      self->state.options.name, self->state.options.queue,
                      render(why));
        self->quit(why);
      });
}

void ended(self_pointer self, outcome what) {
  auto& state = self->state;
  state.item = 0;
  state.user.clear();
  state.since_us = never;
  std::vector<outcome> outcomes;
  outcomes.push_back(std::move(what));
  ask(self, std::move(outcomes));
  if (state.finishing)
    for (auto& promise : std::exchange(state.awaiting_end, {}))
      promise.deliver(done{});
}

/// What was on its way when the slot was told to end costs no attempt.
void give_back(self_pointer self, const claimed_item& item) {
  outcome unused;
  unused.id = item.id;
  unused.token = item.token;
  unused.member = item.member;
  unused.says = verdict::release;
  ask(self, {std::move(unused)});
}

void process(self_pointer self, claimed_item& item) {
  auto& state = self->state;
  state.item = item.id;
  state.user = item.user;
  state.since_us = state.options.clock.at(self->clock().now());
  outcome fallback;
  fallback.id = item.id;
  fallback.token = item.token;
  fallback.member = item.member;
  fallback.says = verdict::retry;
  self
    ->request(
      state.options.handler, state.options.handler_timeout,
      handle_item{state.options.queue, state.options.name, std::move(item)})
    .then([=](outcome& x) { ended(self, std::move(x)); },
          [=](const caf::error& why) {
            auto failed = fallback;
            failed.reason = "handler: " + render(why);
            ended(self, std::move(failed));
          });
}

} // namespace

processor_self::behavior_type
processor(processor_self::stateful_pointer<processor_state> self,
          processor_options options) {
  self->state.options = std::move(options);
  self->monitor(self->state.options.door);
  // The queue went with its shard: the manager spawns this slot anew.
  self->set_down_handler(
    [=](const caf::down_msg&) { self->quit(caf::exit_reason::user_shutdown); });
  join(self);
  return {
    [=](handed& x) {
      for (auto& item : x.items)
        if (self->state.finishing)
          give_back(self, item);
        else
          process(self, item);
    },
    [=](report_slot) -> caf::result<slots_report> {
      const auto& state = self->state;
      return slots_report{
        {{state.options.name, state.options.slot, state.options.queue,
          state.item, state.user, state.since_us, state.options.wants}}};
    },
    [=](finish_slot) -> caf::result<done> {
      auto& state = self->state;
      state.finishing = true;
      if (state.item == 0)
        return done{};
      auto promise = self->make_response_promise<done>();
      state.awaiting_end.push_back(promise);
      return promise;
    },
  };
}

} // namespace depositd
