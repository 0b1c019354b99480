#pragma once

// Who hears what of an order's end.

#include "adapters/processing/stages/stage_tools.hpp"

#include <memory>

namespace depositd::aptrust {

/// Reports on batches as `others` does, but for fixity checks that have found
/// nothing: of those nobody wants to hear every hour.
stages::stage_handler
make_order_reporter(std::shared_ptr<const stages::stage_tools> tools,
                    stages::stage_handler others);

} // namespace depositd::aptrust
