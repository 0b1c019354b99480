#pragma once

// Merritt's pipeline: the handlers of its first stages, by their names.

#include "adapters/processing/stages/stage_tools.hpp"

#include <memory>

namespace depositd::merritt {

/// merritt.split, merritt.stage, merritt.estimate, merritt.provision,
/// merritt.download and merritt.process. All of them may be called again with
/// the same document after a crash at any point.
stages::stage_handlers
first_stages(std::shared_ptr<const stages::stage_tools> tools);

} // namespace depositd::merritt
