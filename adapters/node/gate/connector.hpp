#pragma once

// Connects to other processes for whoever asks, as CAF's middleman actor does,
// which it replaces: one connection for each address, kept while it lives.

#include "adapters/node/gate/port_core.hpp"

#include <caf/io/middleman_actor.hpp>

#include <memory>

namespace depositd::gate {

/// With a thread of its own: names are looked up and hosts that are not there
/// are waited for.
caf::io::middleman_actor spawn_connector(std::shared_ptr<port_core> core);

} // namespace depositd::gate
