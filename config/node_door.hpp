#pragma once

// The node port as the settings want it.

#include "adapters/node/gate/node_port.hpp"
#include "config/descriptors.hpp"
#include "config/settings.hpp"

#include <caf/actor_system.hpp>

#include <functional>
#include <memory>

namespace depositd {

/// Nothing listens yet. `taken` is that of `gate::node_port_options`.
/// `ec::bad_setting` names the key and the file that is wrong.
caf::expected<std::unique_ptr<gate::node_port>>
open_node_port(caf::actor_system& system, const depositd_settings& settings,
               const descriptor_shares& shares, admission admit = {},
               std::function<void(const gate::certificate_facts&)> taken = {});

} // namespace depositd
