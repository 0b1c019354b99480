#pragma once

// The inventory in one SQLite file.

#include "messages/ports/inventory.hpp"

#include <filesystem>
#include <memory>

namespace depositd {

/// Opens the file, or makes it if it is not there; nothing else may have it
/// open. `ec::store_damaged` if it is no inventory or SQLite finds it damaged,
/// `ec::store_failed` if it cannot be used. Objects, versions and files carry
/// checksums, which are checked when they are read. What was recorded, bound or
/// locked is durable when the call returns. The path ":memory:" makes an empty
/// one that is gone when it is closed.
caf::expected<std::unique_ptr<inventory>>
open_sqlite_inventory(const std::filesystem::path& file);

} // namespace depositd
