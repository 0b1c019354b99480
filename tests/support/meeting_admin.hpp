#pragma once

// What an engine publishes, as far as other engines ask.

#include "actors/cluster/keeper/keeper.hpp"
#include "messages/operators.hpp"

#include <functional>
#include <memory>
#include <string>

namespace depositd {

/// Answers `meet_engine`; `called` says whether the engine is ready for that.
inline admin_actor::behavior_type
meeting_admin(admin_actor::pointer,
              std::shared_ptr<cluster::owned_shards> owned,
              std::function<bool(const meet_engine&)> called) {
  const auto no = [] {
    return caf::make_error(ec::invalid_argument, std::string{"not here"});
  };
  return {
    [=](const admin_request&) -> caf::result<admin_reply> { return no(); },
    [=](const sign_in&) -> caf::result<signed_in> { return no(); },
    [=](const command_as&) -> caf::result<admin_reply> { return no(); },
    [=](const log_in&) -> caf::result<logged_in> { return no(); },
    [=](const know_token&) -> caf::result<logged_in> { return no(); },
    [=](const connect_native&) -> caf::result<native_actor> { return no(); },
    [=](const join_node&) -> caf::result<node_joined> { return no(); },
    [=](const meet_engine& x) -> caf::result<engine_met> {
      if (!called(x))
        return caf::make_error(ec::overloaded, std::string{"starting"});
      return owned->get();
    },
  };
}

} // namespace depositd
