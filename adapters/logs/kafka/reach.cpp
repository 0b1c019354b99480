#include "adapters/logs/kafka/reach.hpp"

#include "adapters/logs/kafka/topics.hpp"

namespace depositd {

reach_actor::behavior_type reach(reach_actor::pointer self,
                                 const reach_options& options) {
  using clock = std::chrono::steady_clock;
  const auto pause = options.silence_max / 3;
  self->send(self, reach_tick{});
  return {
    [=, heard = clock::now()](reach_tick) mutable {
      const auto now = clock::now();
      if (!options.in_doubt()
          || look_at_kafka(options.kafka, options.topic, now + pause))
        heard = clock::now();
      options.reached->store(clock::now() - heard < options.silence_max);
      self->delayed_send(self, pause, reach_tick{});
    },
  };
}

} // namespace depositd
