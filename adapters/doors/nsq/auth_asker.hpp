#pragma once

// Asks the authentication server. Blocks: on a thread of its own.

#include "adapters/doors/nsq/authorizations.hpp"
#include "messages/actors.hpp"
#include "messages/message.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace depositd::nsq {

struct ask_authorizations {
  auth_question what;
};

struct authorizations_told {
  std::shared_ptr<const auth_state> state;
};

using auth_asker_actor = caf::typed_actor<
  caf::replies_to<ask_authorizations>::with<authorizations_told>>;

struct auth_asker_options {
  std::string address; ///< HOST:PORT or a URL
  std::chrono::milliseconds connect{2'000};
  std::chrono::milliseconds within{5'000};
};

/// `ec::overloaded` if the server does not answer, `ec::wrong_credentials` if
/// it answers anything but 200.
auth_asker_actor::behavior_type auth_asker(auth_asker_actor::pointer self,
                                           auth_asker_options options);

} // namespace depositd::nsq

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::nsq::ask_authorizations)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::nsq::authorizations_told)
