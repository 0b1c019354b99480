#pragma once

// EmoDB's queue service (/queue/1) and dedup queue service (/dedupq/1) over
// HTTP. I/O threads parse, check and ask the shard; answers are written in the
// thread that gives them. docs/PROTOCOL.md and docs/openapi.yaml say what is
// answered.

#include "adapters/doors/http/router.hpp"
#include "adapters/doors/kit/client_audit.hpp"
#include "adapters/doors/kit/request_quotas.hpp"
#include "messages/actors.hpp"
#include "messages/ports/blob_store.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depositd::emodb {

struct door_options {
  shard_receiving_actor shard;
  read_model_actor projector;
  std::shared_ptr<blob_store> blobs;      ///< the documents of deposits
  bool anonymous = false;                 ///< requests without a key are served
  std::size_t message_bytes_max = 30'720; ///< of compact JSON
  std::uint32_t claims_max = 20'000;      ///< per queue; then polls get nothing
  std::size_t body_bytes_max = 64 * 1024 * 1024;
  std::chrono::milliseconds answer_limit{5'000}; ///< then 503
  /// The same for what is done to very many items.
  std::chrono::milliseconds bulk_limit{600'000};
  std::size_t outstanding_max = 20'000;  ///< requests in the engine; then 503
  std::uint32_t requests_per_second = 0; ///< of one key; 0: no limit
  std::chrono::seconds wait_max{20};     ///< that a poll may ask for
  std::size_t waiting_max = 10'000;      ///< polls that wait; then 503
  /// Of users in queues, shared by all doors.
  std::shared_ptr<kit::request_quotas> quotas =
    std::make_shared<kit::request_quotas>();
  /// Of what clients order beside sending and taking work.
  std::shared_ptr<kit::client_audit> audit =
    std::make_shared<kit::client_audit>();
};

/// A method and path of the service; {base} is /queue/1 and /dedupq/1.
struct route_name {
  std::string method;
  std::string path;
};

struct door_core;

class door {
public:
  /// Returns when the keys are known. The error of the shard otherwise.
  static caf::expected<std::unique_ptr<door>> open(caf::actor_system& system,
                                                   door_options options);

  ~door();

  /// Adds everything that `all_routes` names. The routes keep what they need.
  void add_routes(http::router& routes);

  /// To be called by every I/O thread after each look at its sockets: sends
  /// what the requests have in common to the shard at once.
  void end_round();

  /// What the door answers, both services and /ping.
  static std::vector<route_name> all_routes();

  /// Ends its actors. The HTTP server must have stopped.
  void close();

private:
  explicit door(std::shared_ptr<door_core> core);

  std::shared_ptr<door_core> core_;
};

} // namespace depositd::emodb
