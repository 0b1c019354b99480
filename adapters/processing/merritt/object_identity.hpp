#pragma once

// Which object a job is about.

#include "adapters/processing/merritt/work_on_job.hpp"

#include <optional>

namespace depositd::merritt {

/// Takes the locks of the object, looks its local ids up, and finds or mints
/// its identifier; nothing if the job has one that is locked and its local ids
/// are bound. Else how the stage ends: not yet while others work on the object,
/// and once more at once with a minted identifier, so that it is written down
/// first; failed if ids belong to another object, or an update has none.
std::optional<outcome> find_identity(work_on_job& x);

} // namespace depositd::merritt
