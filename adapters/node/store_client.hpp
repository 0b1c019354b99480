#pragma once

// Blobs and the registry of an engine, seen from a node that processes for it.

#include "adapters/node/store_line.hpp"
#include "messages/ports/blob_store.hpp"

#include <memory>

namespace depositd::node {

/// The engine's blob store. `put` refuses with `ec::too_large` what does not
/// go into one message (48 MiB); `get` has no such limit. `backup` is refused.
std::unique_ptr<blob_store> remote_blobs(std::shared_ptr<store_line> engine);

/// The engine's registry. `backup` is refused.
std::unique_ptr<doi_registry>
remote_registry(std::shared_ptr<store_line> engine);

} // namespace depositd::node
