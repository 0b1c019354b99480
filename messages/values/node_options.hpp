#pragma once

// What every process on the node port must agree on: the engine, the shell and
// remote workers all call `apply_node_options`.

#include <caf/actor_system_config.hpp>
#include <caf/timespan.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace depositd {

inline constexpr auto heartbeat_interval = std::chrono::seconds{1};

/// A peer that was silent this long is gone. Checked with each heartbeat.
inline constexpr auto connection_timeout = std::chrono::seconds{10};

/// Peers that speak another version of our messages refuse to connect.
inline constexpr const char* node_protocol = "depositd.10";

/// Sets the above. Without heartbeats a stopped peer is never noticed, and a
/// peer that alone has them drops healthy idle ones.
inline void apply_node_options(caf::actor_system_config& cfg,
                               const std::string& protocol = node_protocol) {
  cfg.set("middleman.heartbeat-interval", caf::timespan{heartbeat_interval});
  cfg.set("middleman.connection-timeout", caf::timespan{connection_timeout});
  cfg.set("middleman.app-identifiers", std::vector<std::string>{protocol});
  cfg.set("middleman.workers", size_t{1});
}

} // namespace depositd
