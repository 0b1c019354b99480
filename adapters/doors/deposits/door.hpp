#pragma once

// The depositors' page: whoever has an account logs in with a browser, hands in
// files and sees what becomes of them. docs/DEPOSITS.md says what is answered.

#include "adapters/doors/accounts/deposit_desk.hpp"
#include "adapters/doors/accounts/login_desk.hpp"
#include "adapters/doors/deposits/messages.hpp"
#include "adapters/doors/http/router.hpp"
#include "adapters/doors/kit/gateway.hpp"
#include "adapters/doors/kit/request_quotas.hpp"
#include "adapters/doors/kit/sessions.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace depositd::deposits {

/// Of the object with name and password.
inline constexpr std::size_t login_document_bytes_max = 8 * 1024;
/// Submissions on a page.
inline constexpr std::uint32_t page_rows = 50;
inline constexpr std::uint64_t page_bytes_max = 1024 * 1024;
/// Of a manifest that is only to be checked.
inline constexpr std::size_t check_bytes_max = 8 * 1024 * 1024;

struct door_options {
  shard_doors_actor shard;
  read_model_actor projector;
  admin_actor places;            ///< knows `user place`; null: nobody does
  accounts::worker_actor logins; ///< checks passwords
  accounts::worker_actor blobs;  ///< keeps files
  http::handler check_manifest;  ///< null: none are checked
  std::size_t body_bytes_max = 10 * 1024 * 1024; ///< of a file
  std::uint32_t retry_after_s = 60; ///< told to users over their limit
  kit::session_limits sessions;
  std::chrono::milliseconds ask_timeout{30'000};
  /// Shared by all doors.
  std::shared_ptr<kit::request_quotas> quotas =
    std::make_shared<kit::request_quotas>();
};

struct door_state {
  using interface = door_actor;

  door_options options;
  std::optional<accounts::login_desk> logins; ///< there from the start
  std::optional<kit::gateway> asked;          ///< there from the start
  std::optional<kit::sessions> sessions;      ///< there from the start

  static inline const char* name = "deposits_door";
};

door_actor::behavior_type door(actor_with<door_state>* self,
                               door_options options);

/// Adds the door's routes. Limits of bodies and times are set per route.
void add_door_routes(http::router& routes, const door_actor& whom,
                     const door_options& options);

/// Those of the page's files, which `add_door_routes` adds, too.
void add_page_routes(http::router& routes);

} // namespace depositd::deposits
