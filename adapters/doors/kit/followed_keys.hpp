#pragma once

// The keys of the control state, as a door follows them.

#include "adapters/doors/kit/gateway.hpp"
#include "adapters/doors/kit/keys.hpp"
#include "messages/actors.hpp"
#include "messages/follow_control.hpp"

#include <caf/actor_system.hpp>

#include <atomic>
#include <memory>

namespace depositd::kit {

/// Any thread.
class followed_keys {
public:
  /// Not known until `learn` has returned, or news have come. `anonymous`:
  /// whether there is a caller without a key.
  explicit followed_keys(bool anonymous) : anonymous_(anonymous) {
    // nop
  }

  /// The newest; null until they are known.
  std::shared_ptr<const key_ring> load() const {
    return ring_.load();
  }

  /// Asks for the keys, and that `asked` is told every change; waits for them.
  /// The error of whoever is asked.
  caf::error learn(caf::actor_system& system,
                   const control_source_actor& source, const gateway& asked);

  /// For the gateway's news: takes those of the control state, whatever else
  /// there may be.
  void take(core_answer news);

private:
  const bool anonymous_;
  std::atomic<std::shared_ptr<const key_ring>> ring_;
};

/// Tells the engine, which keeps it about as exactly, that a key is in use;
/// once an hour. Nobody is told if `engine` is null.
void note_use(const api_key& key, gateway& asked,
              const shard_receiving_actor& engine);

} // namespace depositd::kit
