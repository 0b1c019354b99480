#pragma once

// Leases where there is nobody to share with: an engine that has its stores to
// itself has all shards, for as long as it runs.

#include "messages/ports/shard_leases.hpp"

#include <memory>

namespace depositd {

/// Every shard is free until it is taken. Epochs begin anew with each engine:
/// what keeps a store from two writers is its own lock, and the epoch that its
/// journal counts on. `count` is at least 1.
std::unique_ptr<shard_leases> own_leases(engine_identity self,
                                         shard_number count);

} // namespace depositd
