#pragma once

// The files that make a folder an OCFL storage root.

#include "adapters/stores/files/disk.hpp"
#include "messages/values/errors.hpp"

#include <filesystem>

namespace depositd::ocfl {

/// Where versions are put together before they get their names. OCFL keeps out
/// of extensions' folders.
std::filesystem::path work_folder(const std::filesystem::path& root);

/// Makes the folder a storage root, or checks that it is one.
/// `ec::store_damaged` if it is one of another kind, or something else.
caf::error prepare_root(disk& io, const std::filesystem::path& root);

} // namespace depositd::ocfl
