#pragma once

// The node port: the one way in and out for messages between processes. In
// place of CAF's own `publish` and `remote_actor`, plain and TLS.

#include "adapters/doors/kit/certificate_life.hpp"
#include "adapters/doors/kit/turnstile.hpp"
#include "adapters/node/gate/tls.hpp"
#include "messages/ports/known_peers.hpp"
#include "messages/values/endpoint.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace depositd::gate {

/// What is said of an end that begins a handshake of TLS, or asks for one,
/// where there is none.
inline constexpr const char* speaks_tls =
  "it speaks TLS, and this end does not";

class port_core;
struct port_counts;

struct node_port_options {
  tls_files tls; ///< without: plain, here and in what is connected to
  kit::arrival_limits limits;
  admission admit;
  /// Hears of each certificate of this end before it is shown to anybody, the
  /// first one too. In one thread at a time; empty: nobody wants to know.
  std::function<void(const certificate_facts&)> taken;
  /// How often the files are looked at.
  std::chrono::milliseconds files_every{2'000};
};

/// One for each actor system with a middleman, and shorter-lived.
class node_port : public known_peers {
public:
  /// `ec::bad_setting` names the file that is wrong.
  static caf::expected<std::unique_ptr<node_port>>
  open(caf::actor_system& system, node_port_options options);

  ~node_port() override;

  node_port(const node_port&) = delete;
  node_port& operator=(const node_port&) = delete;

  /// Listens and offers the actor; gives the port. `ec::bad_setting` if it
  /// cannot listen there.
  template <class Handle>
  caf::expected<std::uint16_t> publish(const Handle& whom, const endpoint& at) {
    return publish(caf::actor_cast<caf::strong_actor_ptr>(whom),
                   system_.message_types(whom), at);
  }

  caf::expected<std::uint16_t> publish(const caf::strong_actor_ptr& whom,
                                       std::set<std::string> interface,
                                       const endpoint& at);

  /// Connects, with CAF's own interface. Errors say in words what went wrong.
  const caf::io::middleman_actor& middleman() const {
    return middleman_;
  }

  std::optional<peer> peer_of(const caf::node_id& node) const override;

  /// Reads the files again, whether or not they have changed. What is wrong
  /// leaves everything as it is, and is logged. Connections stay.
  void reload();

  const port_counts& counts() const;

  /// Of the certificate in use; never null.
  std::shared_ptr<const kit::certificate_life> life() const {
    return life_;
  }

private:
  node_port(caf::actor_system& system, node_port_options options,
            tls_context tls);

  void tick();
  void load_if(bool changed_only);

  caf::actor_system& system_;
  const node_port_options options_;
  std::shared_ptr<port_core> core_;
  caf::io::middleman_actor middleman_;
  std::mutex guard_;
  std::string tried_; ///< of the files that were read last
  const std::shared_ptr<kit::certificate_life> life_ =
    std::make_shared<kit::certificate_life>("node");
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread clock_;
};

} // namespace depositd::gate
