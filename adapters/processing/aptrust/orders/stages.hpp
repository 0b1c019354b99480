#pragma once

// The stages of orders, by the names of their handlers in pipelines.

#include "adapters/processing/stages/stage_tools.hpp"

#include <memory>

namespace depositd::aptrust {

/// "aptrust.restore_file" and the like.
stages::stage_handlers
order_stages(std::shared_ptr<const stages::stage_tools> tools);

} // namespace depositd::aptrust
