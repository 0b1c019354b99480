#pragma once

// How sources and schedulers do, for scripts: what operators' commands that
// read answer, over HTTP. Nothing is changed here: this port knows nobody.

#include "adapters/doors/http/responder.hpp"
#include "adapters/doors/http/router.hpp"
#include "messages/actors.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <string>

namespace depositd {

/// A command that changes nothing, with its arguments as JSON.
struct ask_operators {
  std::string command;
  std::string arguments;
  std::shared_ptr<http::responder> answer;
};

using operators_door_actor = caf::typed_actor<caf::reacts_to<ask_operators>>;

/// Passes such questions on; whoever does not answer in ten seconds is 503.
operators_door_actor::behavior_type
operators_door(operators_door_actor::pointer self, admin_actor whom);

/// GET|HEAD below /api/v1/sources and /api/v1/schedulers.
void add_source_routes(http::router& routes, const operators_door_actor& whom);

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::ask_operators)
