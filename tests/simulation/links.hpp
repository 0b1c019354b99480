#pragma once

// Connections between engines. All actors of a life are of one system; what
// engines say to each other passes stand-ins with a foreign node id, as if it
// came over a network: it may not arrive, and both sides hear later that the
// other one is gone.

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

namespace depositd::simulation {

/// Number of an engine, which no other one of this life has.
using engine_number = std::uint32_t;

/// Of all engines of a life. Outlives their actors.
class engine_links {
public:
  /// Between two of them, until it is lost. Another one is made when one of
  /// them is reached again.
  struct link {
    bool up = true;
    bool heard = true; ///< what the second says reaches the first
    bool said = true;  ///< and the other way round
  };

  explicit engine_links(caf::actor_system& system) : system_(system) {
    // nop
  }

  engine_links(const engine_links&) = delete;
  engine_links& operator=(const engine_links&) = delete;

  /// An actor of the engine `there`, as `here` reaches it.
  template <class Handle>
  Handle seen(engine_number here, engine_number there, const Handle& real) {
    return caf::actor_cast<Handle>(
      seen(here, there, caf::actor_cast<caf::strong_actor_ptr>(real)));
  }

  caf::strong_actor_ptr seen(engine_number here, engine_number there,
                             const caf::strong_actor_ptr& real);

  /// The actor itself: clients and nodes have connections of their own.
  template <class Handle>
  static Handle direct(const Handle& who) {
    return caf::actor_cast<Handle>(
      direct(caf::actor_cast<caf::strong_actor_ptr>(who)));
  }

  static caf::strong_actor_ptr direct(const caf::strong_actor_ptr& who);

  /// What `from` says to `to` does not arrive any more; nobody notices.
  void mute(engine_number from, engine_number to);

  /// Both notice that the other one cannot be reached.
  void cut(engine_number one, engine_number other);

  /// Of an engine that is gone.
  void cut_all(engine_number of);

private:
  friend class distant_actor;

  /// The smaller number first.
  using pair = std::pair<engine_number, engine_number>;
  /// Who looks, at whom, at which of its actors: in this order all hear that
  /// they are gone, so that each life is the same every time.
  using view = std::tuple<engine_number, engine_number, caf::actor_id>;

  static pair pair_of(engine_number a, engine_number b) {
    return a < b ? pair{a, b} : pair{b, a};
  }
  const std::shared_ptr<link>& link_of(engine_number a, engine_number b);
  /// With what it names as the receiver reaches it.
  caf::message carried(engine_number from, engine_number to,
                       caf::message content);
  void lose(const std::function<bool(const view&)>& which);

  caf::actor_system& system_;
  std::map<pair, std::shared_ptr<link>> links_;
  std::map<view, caf::strong_actor_ptr> views_;
};

} // namespace depositd::simulation
