#pragma once

// A copy of a storage root, as it was at one moment.

#include "adapters/stores/files/disk.hpp"
#include "adapters/stores/objects/copy_gate.hpp"

#include <filesystem>

namespace depositd::ocfl {

/// Makes `to` a storage root with the objects of another, durably, between
/// `hold` and `end` of the gate: versions that were stored later are left out,
/// and so are those that are being put together. An object that cannot be read
/// is copied as it lies there, for whoever looks into it. `ec::store_failed`
/// names the file, `ec::draining` after the gate's `stop`. May take hours.
caf::error copy_objects(disk& io, const std::filesystem::path& from,
                        const std::filesystem::path& to, copy_gate& gate);

} // namespace depositd::ocfl
