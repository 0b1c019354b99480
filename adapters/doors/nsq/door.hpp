#pragma once

// NSQ's TCP protocol V2. I/O threads read commands and ask the shard for what
// topics and channels need; answers leave after the commit. docs/PROTOCOL.md
// says what is answered.

#include "adapters/doors/kit/actor_loop.hpp"
#include "adapters/doors/kit/request_quotas.hpp"
#include "adapters/doors/kit/tls.hpp"
#include "adapters/doors/kit/turnstile.hpp"
#include "adapters/doors/nsq/clients.hpp"
#include "adapters/doors/nsq/limits.hpp"
#include "adapters/doors/nsq/topic_makers.hpp"
#include "adapters/doors/nsq/wellbeing.hpp"
#include "messages/actors.hpp"
#include "messages/values/endpoint.hpp"
#include "messages/values/memory_budget.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depositd::nsq {

/// Who is the user of what is published by those whom nobody authenticates.
enum class anonymous_user_is : std::uint8_t { address, client_id };

struct door_options {
  shard_topics_actor shard;
  shard_receiving_actor engine; ///< keeps when keys were used; may be null
  endpoint listen{"127.0.0.1", 4150};
  kit::tls_files tls;        ///< empty: TLS is not offered
  std::string tls_ca;        ///< clients need a certificate of it; may be empty
  bool tls_required = false; ///< nothing but IDENTIFY is served without
  protocol_limits limits;
  kit::arrival_limits arrivals;
  std::uint32_t io_threads = 1;
  kit::loop_source loops; ///< one for each of them
  bool anonymous = false; ///< served without AUTH even off the loopback
  anonymous_user_is user = anonymous_user_is::address;
  std::string auth_http_address; ///< empty: secrets are keys of this engine
  /// Of one client, that it has not read yet: then it gets nothing new.
  std::size_t backlog_bytes_max = 4 << 20;
  /// Of one client, published and not answered yet: then it is not read.
  std::size_t pending_bytes_max = 16 << 20;
  std::size_t answers_max = 10'000;     ///< that one client is owed, likewise
  std::size_t outstanding_max = 20'000; ///< requests in the engine
  std::chrono::milliseconds answer_limit{10'000}; ///< of the engine
  std::shared_ptr<memory_budget> memory; ///< for what is published; may be null
  std::shared_ptr<wellbeing> health;     ///< told how publishing goes; likewise
  /// Of users in topics, shared by all doors.
  std::shared_ptr<kit::request_quotas> quotas =
    std::make_shared<kit::request_quotas>();
  std::shared_ptr<topic_makers> makers = std::make_shared<topic_makers>();
};

struct door_core;

class door {
public:
  /// Listens, and returns when keys are known. `ec::bad_setting` for what
  /// cannot be listened at or read, or where no thread can be had; or the error
  /// of the shard.
  static caf::expected<std::unique_ptr<door>> open(caf::actor_system& system,
                                                   door_options options);

  ~door();

  /// The one actually taken.
  std::uint16_t port() const;

  /// host:port.
  const std::string& address() const;

  /// Consumers of a topic's channel; empty names: of all. Any thread.
  std::vector<client_facts> statistics(const std::string& topic,
                                       const std::string& channel) const;

  /// Those who publish and do not consume. Any thread.
  std::vector<client_facts> producers() const;

  /// Reads certificate, key and authority again, for handshakes that begin from
  /// now on. `ec::bad_setting` if they cannot be used; then it goes on with
  /// those it has. Any thread.
  caf::error reload();

  /// Nobody new is let in.
  void stop_listening();

  /// Clients get nothing new and may finish what they have. Returns when
  /// nothing is on its way any more, at the latest after `within`; false then.
  bool drain(std::chrono::milliseconds within);

  /// Ends all connections and threads.
  void close();

private:
  explicit door(std::unique_ptr<door_core> core);

  std::unique_ptr<door_core> core_;
};

} // namespace depositd::nsq
