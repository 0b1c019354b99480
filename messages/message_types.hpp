#pragma once

// Making CAF know our messages is the same for every program, and takes long to
// compile: it is done in one place.

#include <caf/actor_system_config.hpp>

namespace depositd {

void add_depositd_messages(caf::actor_system_config& config);

} // namespace depositd
