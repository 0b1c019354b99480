#pragma once

// Blobs, the registry, the catalogue and the minter of an engine, seen from a
// node that processes for it.

#include "adapters/node/store_line.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/inventory.hpp"
#include "messages/ports/minter.hpp"

#include <memory>

namespace depositd::node {

/// The engine's blob store. `put` refuses with `ec::too_large` what does not
/// go into one message (48 MiB); `get` has no such limit. `backup` is refused.
std::unique_ptr<blob_store> remote_blobs(std::shared_ptr<store_line> engine);

/// The engine's registry. `backup` is refused.
std::unique_ptr<doi_registry>
remote_registry(std::shared_ptr<store_line> engine);

/// The engine's catalogue and locks. `record` refuses with `ec::too_large` what
/// does not go into one message; `find` answers at most 1,000 objects.
std::unique_ptr<inventory> remote_inventory(std::shared_ptr<store_line> engine);

/// The engine's minter. A question is asked again with the same key.
std::unique_ptr<minter> remote_minter(std::shared_ptr<store_line> engine);

} // namespace depositd::node
