#pragma once

// depositd --demo: an operator, sample users, and deposits that trickle in. All
// of it is said to the admin actor, as an operator would.

#include "messages/actors.hpp"
#include "messages/operator_actors.hpp"

#include <caf/actor_system.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <filesystem>
#include <string>

namespace depositd {

/// To itself: the next deposit is due.
struct demo_tick {};

using demo_actor = caf::typed_actor<caf::reacts_to<demo_tick>>;

struct demo_begun {
  demo_actor actor;     ///< deposits until it is killed
  std::string password; ///< of the operator `demo` and of the sample users
};

/// Makes the operator and the users; blocks until they are durable.
caf::expected<demo_begun> begin_demo(caf::actor_system& system,
                                     const admin_actor& admin);

/// Which of the addresses want TLS.
struct demo_doors {
  bool admin_tls = false;
  bool http_tls = false;
};

/// What to open and how to log in, for people; `ready` is the engine's line.
std::string welcome(const std::string& ready, const std::string& password,
                    const demo_doors& doors);

/// A new folder where files that are not kept belong.
caf::expected<std::filesystem::path> demo_folder();

/// One of the sample deposits, by its number: XML, and now and then something
/// that is none.
std::string demo_deposit(std::uint64_t number);

/// Whose it is: a few have most.
std::string demo_user(std::uint64_t number);

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::demo_tick)
