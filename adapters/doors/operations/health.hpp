#pragma once

// Whether the engine lives and can work, for load balancers and supervisors.

#include "adapters/doors/http/responder.hpp"
#include "adapters/doors/http/router.hpp"
#include "messages/actors.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <memory>

namespace depositd {

/// What a request about health asks.
enum class health_question : std::uint8_t {
  alive, ///< does the engine answer at all? If not, restart it
  ready, ///< does it take and hand out work now?
};

struct check_health {
  health_question question = health_question::alive;
  std::shared_ptr<http::responder> answer;
};

using health_actor = caf::typed_actor<caf::reacts_to<check_health>>;

/// Asks shard and journal's reader; whoever does not answer within a second is
/// named in a 503. `kafka_waits` says whether brokers are waited for, which
/// only makes it `degraded kafka`; may be null.
health_actor::behavior_type health(health_actor::pointer self,
                                   shard_doors_actor shard,
                                   read_model_actor projector,
                                   std::function<bool()> kafka_waits);

/// GET|HEAD /livez, /readyz and /healthcheck (EmoDB's name for ready).
void add_health_routes(http::router& routes, const health_actor& whom);

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::check_health)
