#pragma once

// Merritt's submission door: forms become batches, and whoever may ask reads
// what became of them and their jobs. docs/PROTOCOL.md says what is answered.

#include "adapters/doors/accounts/login_desk.hpp"
#include "adapters/doors/http/router.hpp"
#include "adapters/doors/kit/client_audit.hpp"
#include "adapters/doors/kit/request_quotas.hpp"
#include "adapters/doors/poster/messages.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace depositd::poster {

/// Of a manifest that is only to be checked; nobody need log in for that.
inline constexpr std::size_t check_bytes_max = 8 * 1024 * 1024;
inline constexpr std::size_t check_rows_max = 100'000;

/// In each list of the document of a batch.
inline constexpr std::uint32_t listed_jobs_max = 10'000;

struct door_options {
  shard_doors_actor shard;
  read_model_actor projector;
  order_desk_actor orders; ///< null: nothing is stored here
  accounts::worker_actor logins;                 ///< checks passwords
  accounts::worker_actor blobs;                  ///< keeps payloads
  std::size_t body_bytes_max = 64 * 1024 * 1024; ///< of a form
  std::uint32_t retry_after_s = 60; ///< told to users over their limit
  std::chrono::milliseconds ask_timeout{30'000};
  std::chrono::milliseconds answer_limit{180'000}; ///< of a submission
  /// Shared by all doors.
  std::shared_ptr<kit::request_quotas> quotas =
    std::make_shared<kit::request_quotas>();
  /// Of what clients order beside sending and taking work.
  std::shared_ptr<kit::client_audit> audit =
    std::make_shared<kit::client_audit>();
};

struct door_state {
  using interface = door_actor;

  door_options options;
  std::optional<accounts::login_desk> logins; ///< there from the start

  static inline const char* name = "poster_door";
};

door_actor::behavior_type door(actor_with<door_state>* self,
                               door_options options);

/// Adds the door's routes. Limits of bodies and times are set per route.
void add_door_routes(http::router& routes, const door_actor& whom,
                     const door_options& options);

/// Says what a manifest is, or what is wrong with it. It is the first file of a
/// multipart form, else the whole body: some clients call anything a form.
void check_manifest(http::request&& from, http::responder answer);

/// Those about what is stored, which `add_door_routes` adds, too.
void add_order_routes(http::router& routes, const door_actor& whom,
                      const door_options& options);

} // namespace depositd::poster
