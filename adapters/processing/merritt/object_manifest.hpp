#pragma once

// The object manifest that was submitted, once it is in the working folder.

#include "adapters/processing/merritt/manifest.hpp"
#include "adapters/processing/merritt/work_on_job.hpp"

#include <variant>

namespace depositd::merritt {

/// Reads and checks it, or says how the stage ends without: rejected with the
/// line if it is corrupt, failed if it is not there (it was cleaned away; a
/// requeue to `pending` brings it back).
std::variant<manifest, outcome> read_object_manifest(const job_folder& folder);

} // namespace depositd::merritt
