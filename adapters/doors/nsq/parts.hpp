#pragma once

// Inside the door: what all connections share, and what those of one thread.

#include "adapters/doors/kit/followed_keys.hpp"
#include "adapters/doors/kit/gateway.hpp"
#include "adapters/doors/kit/lingering.hpp"
#include "adapters/doors/kit/listen.hpp"
#include "adapters/doors/kit/loop.hpp"
#include "adapters/doors/kit/rate_limit.hpp"
#include "adapters/doors/kit/tls_layer.hpp"
#include "adapters/doors/nsq/auth_asker.hpp"
#include "adapters/doors/nsq/door.hpp"
#include "adapters/doors/nsq/entrance.hpp"
#include "adapters/doors/nsq/identify.hpp"
#include "adapters/doors/nsq/publish_round.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd::nsq {

class connection;

/// One loop and its connections. Everything but `post` in its thread.
struct io_thread {
  explicit io_thread(door_core& core);
  ~io_thread();

  /// Runs in the thread. From any thread.
  void post(kit::loop::task what) {
    loop->post(std::move(what));
  }

  /// A client has come.
  void take(int socket, const std::string& peer, std::uint16_t peer_port,
            std::uint64_t place);

  /// It is over; it goes when nobody is in it any more.
  void forget(const connection& x);

  /// The connection has to be looked at after this look at the sockets.
  void mark(std::shared_ptr<connection> x) {
    marked.push_back(std::move(x));
  }

  void end_of_look();
  void end_all();

  door_core& core;
  std::unique_ptr<kit::loop> loop;
  kit::lingering lingering;
  publish_round round;
  std::unordered_map<const connection*, std::shared_ptr<connection>> open;
  std::vector<std::shared_ptr<connection>> marked;
};

/// Why what makes a topic or a channel is refused, beside their number.
inline constexpr std::string_view made_enough =
  "the user has made as many topics and channels as one may";

struct door_core {
  door_core(caf::actor_system& system, door_options x);
  ~door_core();

  /// Whether the user may send one more request that is about the topic; if so,
  /// it counts.
  bool within_quota(const std::string& topic, const std::string& user);

  /// Whether the user may send no request about the topic, now or later.
  bool is_barred(const std::string& topic, const std::string& user) const;

  /// Whether the user may name the topic and, unless it is empty, the channel,
  /// which makes what is not there. That counts then.
  bool may_make(const std::string& user, const std::string& topic,
                const std::string& channel);

  /// Counts and tells of a client that is refused for who it is.
  void refuse(const std::string& peer, const std::string& why);

  /// Whether one more line of this kind may be logged of what strangers do.
  bool may_log(const std::string& kind);

  /// Every second: tells those whose answers have not come in time. In the
  /// first thread.
  void drop_late();

  /// Lets in who waits at the listening socket. In the first thread.
  void accept();
  void watch_listening();
  void pause_accepting();
  void stop_listening();
  void close();

  caf::actor_system& system;
  const door_options options;
  server_facts facts;
  kit::tls_in_use tls; ///< null: not offered
  kit::listener listening;
  std::atomic<bool> draining{false};
  kit::followed_keys keys;
  nsq::clients clients;
  entrance arrivals;
  auth_asker_actor auth;            ///< null without an authentication server
  kit::rate_limit lines_logged{10}; ///< of each kind, in a second
  std::atomic<std::uint64_t> refused{0};
  /// Threads go after the gateway: its takers reach them.
  std::vector<std::unique_ptr<io_thread>> threads;
  kit::gateway asked;
  std::size_t next_thread = 0; ///< in the first thread
  bool closed = false;
};

} // namespace depositd::nsq
