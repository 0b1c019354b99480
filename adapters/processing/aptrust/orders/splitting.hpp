#pragma once

// An order becomes jobs: one, or one for each file whose fixity is checked.

#include "adapters/processing/stages/stage_tools.hpp"

#include <memory>

namespace depositd::aptrust {

/// Splits batches that are orders; all others go to `others`. Rejected: an
/// order of a log of records that meets one which is not finished.
stages::stage_handler
make_order_splitter(std::shared_ptr<const stages::stage_tools> tools,
                    stages::stage_handler others);

} // namespace depositd::aptrust
