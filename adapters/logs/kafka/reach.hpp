#pragma once

// Whether the brokers can be reached from here. Asks them only while somebody
// doubts it, or nobody here would notice.

#include "adapters/logs/kafka/kafka_options.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace depositd {

/// To itself: look.
struct reach_tick {};

using reach_actor = caf::typed_actor<caf::reacts_to<reach_tick>>;

struct reach_options {
  kafka_options kafka;
  std::string topic;
  /// Whether there is reason to ask: a reader or a publisher waits, or there is
  /// none that would. Any thread.
  std::function<bool()> in_doubt;
  /// Brokers that were silent for so long are out of reach.
  std::chrono::milliseconds silence_max{15'000};
  /// What was found; true at first.
  std::shared_ptr<std::atomic<bool>> reached;
};

/// Must be detached: it waits for brokers, for a third of the silence at a
/// time.
reach_actor::behavior_type reach(reach_actor::pointer self,
                                 const reach_options& options);

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::reach_tick)
