#pragma once

// The blob port in memory, for simulations and tests.

#include "messages/ports/blob_store.hpp"

#include <memory>

namespace depositd {

/// An empty store; what it holds goes with it. `backup` is refused: there are
/// no files.
std::unique_ptr<blob_store> make_memory_blobs();

} // namespace depositd
