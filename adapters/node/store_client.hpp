#pragma once

// Blobs and the registry of an engine, seen from a node that processes for it.

#include "messages/ports/blob_store.hpp"
#include "messages/ports/doi_registry.hpp"

#include <functional>
#include <memory>
#include <string>

namespace depositd::node {

/// Makes one call on the engine's side and waits for its result; from any
/// thread. An error of ours (`ec`) is the port's own answer there.
using effect_caller = std::function<caf::expected<std::string>(
  const std::string& what, std::string arguments)>;

/// The engine's blob store. `put` refuses with `ec::too_large` what does not
/// go into one message (48 MiB); `get` has no such limit. `backup` is refused.
std::unique_ptr<blob_store> remote_blobs(effect_caller call);

/// The engine's registry. `backup` is refused.
std::unique_ptr<doi_registry> remote_registry(effect_caller call);

} // namespace depositd::node
