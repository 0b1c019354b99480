#pragma once

// Keeps every configured nsqlookupd told of the topics and channels that there
// are, so that consumers who ask it, and nsqadmin, find this engine.

#include "adapters/doors/nsq/lookup/peer.hpp"
#include "messages/actors.hpp"
#include "messages/values/errors.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace depositd::nsq_lookup {

/// So many at most.
inline constexpr std::size_t lookupds_max = 100;

struct registrar_options {
  shard_topics_actor shard;
  announced self;
  std::vector<endpoint> lookupds;
  peer_times times;
  /// How often it is asked what there is, if nobody says that there is news.
  std::chrono::milliseconds look_interval{5'000};
  std::chrono::milliseconds tick{250}; ///< how exactly times are kept
};

/// Has a thread of its own, which never waits for anybody. From any thread.
class registrar {
public:
  /// `ec::overloaded` if the system has no descriptors left.
  static caf::expected<std::unique_ptr<registrar>>
  start(caf::actor_system& system, registrar_options options);

  ~registrar();

  /// Others from now on; those that stay keep their connections.
  /// `ec::invalid_argument` if there are too many, or they could not find this
  /// engine because one of its doors is closed.
  caf::error tell(std::vector<endpoint> lookupds);

  /// Who is told.
  std::vector<endpoint> lookupds() const;

  /// Of a topic or channel that is in use: looks at once if it is new.
  void saw(const std::string& topic, const std::string& channel = {});

  /// Something was made or removed: looks at once.
  void changed();

  /// Closes all connections, by which nsqlookupds forget this engine.
  void close();

private:
  struct core;
  explicit registrar(std::shared_ptr<core> x);

  const std::shared_ptr<core> core_;
};

} // namespace depositd::nsq_lookup
