#pragma once

// The stage in which a batch is reported.

#include "adapters/processing/stages/shared_service.hpp"
#include "adapters/processing/stages/stage_tools.hpp"

#include <memory>

namespace depositd::merritt {

/// Sends the report of a batch, and a callback for each job that has failed
/// since it was last requeued. What was told is written into the batch's
/// document (`reported`, `called_back`): with `not_yet` once the mail is sent,
/// so that no later trouble sends it again. While the `relay` is away batches
/// wait, which costs no attempt; null: it is never asked.
stages::stage_handler
make_reporter(std::shared_ptr<const stages::stage_tools> tools,
              std::shared_ptr<stages::shared_service> relay);

} // namespace depositd::merritt
