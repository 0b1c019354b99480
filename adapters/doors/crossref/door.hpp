#pragma once

// Crossref's deposit door: POST /servlet/deposit (queued), GET|POST
// /servlet/submissionDownload (status), POST /v2/deposits (at once). HTTP
// threads only parse; everything else is messages. docs/PROTOCOL.md says what
// is answered.

#include "adapters/doors/accounts/login_desk.hpp"
#include "adapters/doors/crossref/messages.hpp"
#include "adapters/doors/crossref/work_rounds.hpp"
#include "adapters/doors/http/router.hpp"
#include "adapters/doors/kit/gateway.hpp"
#include "adapters/doors/kit/request_quotas.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/ports/blob_store.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace depositd::crossref {

struct door_options {
  shard_receiving_actor shard;
  read_model_actor projector;
  handler_actor handler; ///< for the synchronous door
  accounts::worker_actor logins;                 ///< checks passwords
  accounts::worker_actor blobs;                  ///< keeps and fetches files
  std::size_t body_bytes_max = 10 * 1024 * 1024; ///< of a file
  std::uint32_t retry_after_s = 60; ///< told to users over their limit
  std::uint32_t synchronous_max = 16; ///< of a user
  std::uint32_t at_work_max = 3; ///< of all; as many as `handler` works on
  /// Logins that wait for the accounts, or of one address for others of it;
  /// beyond it 503.
  std::uint32_t waiting_max = 512;
  std::uint32_t logins_per_address_max = 4; ///< checked at one time
  std::chrono::milliseconds ask_timeout{30'000};
  /// After it a synchronous deposit is answered 504, though it goes on and can
  /// be asked for.
  std::chrono::milliseconds synchronous_timeout{120'000};
  /// Of two submissions with one file name, the newest is told of; off: the
  /// first, as the source system does.
  bool newest_first = false;
  /// Shared by all doors.
  std::shared_ptr<kit::request_quotas> quotas =
    std::make_shared<kit::request_quotas>();
};

struct door_state {
  using interface = door_actor;

  door_options options;
  /// A user's v2 requests.
  struct at_once {
    std::uint32_t places = 0; ///< of those that are not answered
    bool coming_in = false;   ///< one of them is not in the queue yet
    std::deque<std::function<void()>> waiting; ///< to come in behind it
  };
  std::unordered_map<std::string, at_once> synchronous; ///< by user
  std::uint32_t synchronous_all = 0; ///< places
  std::optional<work_rounds> rounds; ///< there from the start
  std::optional<accounts::login_desk> logins; ///< there from the start
  std::optional<kit::gateway> asked;          ///< there from the start

  static inline const char* name = "crossref_door";
};

door_actor::behavior_type door(actor_with<door_state>* self,
                               door_options options);

/// Adds the door's routes. Limits of bodies and times are set per route.
void add_door_routes(http::router& routes, const door_actor& whom,
                     const door_options& options);

} // namespace depositd::crossref
