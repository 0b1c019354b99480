#pragma once

// What the engine counts, for Prometheus and for the page of operators. Nothing
// is pushed: whoever scrapes has everybody asked.

#include "adapters/doors/http/responder.hpp"
#include "adapters/doors/http/router.hpp"
#include "adapters/doors/operations/engine_numbers.hpp"
#include "adapters/doors/operations/history.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/values/clock.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace depositd {

/// All metrics, as text.
struct tell_metrics {
  std::shared_ptr<http::responder> answer;
};

/// The last hour, as JSON.
struct tell_history {
  std::shared_ptr<http::responder> answer;
};

/// To itself: a step of the history ends.
struct end_step {};

using metrics_door_actor =
  caf::typed_actor<caf::reacts_to<tell_metrics>, caf::reacts_to<tell_history>>;

using metrics_door_self = metrics_door_actor::extend<caf::reacts_to<end_step>>;

/// Whom to ask. Functions are called for each scrape, by the actor's thread,
/// and must not block; null ones have nothing to tell.
struct metrics_options {
  struct records {
    intake_actor in;
    publisher_actor out; ///< null: nobody publishes
  };

  /// Shards that this engine has; others tell of theirs themselves.
  std::function<std::vector<engine_met::owned>()> shards;
  std::function<std::vector<records>()> logs;
  std::function<caf::strong_actor_ptr()> keeper; ///< of leases
  std::function<std::vector<door_numbers>()> doors;
  std::function<std::vector<certificate_numbers>()> certificates;
  std::function<std::uint64_t()> memory_used;
  processor_manager_actor processors; ///< may be null
  std::string version;
  engine_clock clock = engine_clock::system();
};

struct metrics_door_state {
  using interface = metrics_door_self;

  metrics_options options;
  lasting_counters counters;
  std::uint64_t questions = 0; ///< how often shards were asked
  depositd::history history;
  /// Of those who wait for metrics; null: nobody asks now.
  std::shared_ptr<std::vector<std::shared_ptr<http::responder>>> waiting;

  static inline const char* name = "metrics_door";
};

/// Whoever does not answer within two seconds is left out, and named in
/// depositd_scrape_errors. Requests that come meanwhile get the same answer.
metrics_door_self::behavior_type
metrics_door(actor_with<metrics_door_state>* self, metrics_options options);

/// GET|HEAD /metrics.
void add_metrics_routes(http::router& routes, const metrics_door_actor& whom);

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::tell_metrics)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::tell_history)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::end_step)
