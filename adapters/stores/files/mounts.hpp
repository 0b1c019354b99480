#pragma once

// Whether the disk of a folder is mounted. Where it is not, the folder seems to
// be empty, and what is put there is hidden once the disk is back.

#include "adapters/stores/files/disk.hpp"
#include "messages/values/errors.hpp"

#include <cstddef>
#include <filesystem>

namespace depositd {

/// How many file systems begin on the way from "/" to the folder, as far as it
/// is there. `ec::store_failed` if that cannot be seen.
caf::expected<std::size_t> count_mounts(const std::filesystem::path& folder);

/// No error if the folder is there, and as many file systems begin on the way
/// to it as when `mounts` were counted; else `ec::store_failed`.
caf::error look_for_mounts(const std::filesystem::path& folder,
                           std::size_t mounts);

/// Counts them, and notes it durably in the file `note` for later starts.
/// `ec::store_failed` if an earlier one has noted more for this folder. An
/// empty `note`: nobody writes it down.
caf::expected<std::size_t> note_mounts(disk& io,
                                       const std::filesystem::path& folder,
                                       const std::filesystem::path& note);

} // namespace depositd
