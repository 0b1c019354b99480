#pragma once

// nsqd's HTTP API, and nsqlookupd's, for NSQ's unmodified clients. I/O threads
// read and check requests and ask the shard; short answers are written in the
// thread that gives them, those about topics in a thread of the door.
// docs/PROTOCOL.md says what is answered.

#include "adapters/doors/http/server.hpp"
#include "adapters/doors/kit/client_audit.hpp"
#include "adapters/doors/kit/request_quotas.hpp"
#include "adapters/doors/nsq/clients.hpp"
#include "adapters/doors/nsq/limits.hpp"
#include "adapters/doors/nsq/lookup/registrar.hpp"
#include "adapters/doors/nsq/topic_makers.hpp"
#include "adapters/doors/nsq/wellbeing.hpp"
#include "messages/actors.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace depositd::nsq_http {

struct door_options {
  shard_topics_actor shard;
  /// The same, for what all doors ask: whether work is taken; and it keeps when
  /// keys were used.
  shard_receiving_actor engine;
  bool anonymous = false;      ///< requests without a key are served
  nsq::protocol_limits limits; ///< the same as the TCP door's
  std::chrono::milliseconds answer_limit{5'000}; ///< then 503
  /// The same for what is done to very many messages.
  std::chrono::milliseconds bulk_limit{600'000};
  std::size_t outstanding_max = 20'000; ///< requests in the engine; then 503
  /// Clients of the TCP door, for /stats; null: it is closed.
  std::function<std::vector<nsq::client_facts>()> consumers;
  std::function<std::vector<nsq::client_facts>()> producers;
  std::function<std::uint64_t()> memory_used; ///< bytes; may be null
  std::shared_ptr<nsq::wellbeing> health; ///< the TCP door's; null: of its own
  /// Of users in topics, shared by all doors.
  std::shared_ptr<kit::request_quotas> quotas =
    std::make_shared<kit::request_quotas>();
  /// Shared by both of NSQ's doors.
  std::shared_ptr<nsq::topic_makers> makers =
    std::make_shared<nsq::topic_makers>();
  /// Of what clients order beside sending and taking work.
  std::shared_ptr<kit::client_audit> audit =
    std::make_shared<kit::client_audit>();
};

/// What is known once both doors are open.
struct whereabouts {
  nsq_lookup::announced self;
  /// Who tells nsqlookupds; may be null.
  std::shared_ptr<nsq_lookup::registrar> lookupds;
};

struct door_core;

class door {
public:
  /// Returns when the keys are known. The error of the shard otherwise, or
  /// `ec::overloaded` if the system has no thread left.
  static caf::expected<std::unique_ptr<door>> open(caf::actor_system& system,
                                                   door_options options);

  ~door();

  /// The routes keep what they need.
  void add_routes(http::router& routes);

  /// Has the server refuse in nsqd's words.
  static void prepare(http::server_options& server);

  /// To be called when the server listens. Requests before it find no ports.
  void announce(whereabouts x);

  /// The HTTP server must have stopped.
  void close();

private:
  explicit door(std::shared_ptr<door_core> core);

  std::shared_ptr<door_core> core_;
};

} // namespace depositd::nsq_http
