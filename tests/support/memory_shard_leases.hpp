#pragma once

// The lease port in memory, for simulations and tests. The leases live in a
// `memory_leases`, which plays the database: engines come and go.

#include "messages/ports/shard_leases.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace depositd {

class memory_leases;

struct memory_leases_options {
  shard_number count = 1;

  /// The database's clock: any time that never goes back. Tests and the
  /// simulation give the one that their actors have.
  std::function<std::chrono::steady_clock::time_point()> now =
    std::chrono::steady_clock::now;
};

std::shared_ptr<memory_leases>
make_memory_leases(const memory_leases_options& options);

/// Joins the engines. `ec::bad_setting` if there are not `count` shards.
caf::expected<std::unique_ptr<shard_leases>>
open_memory_leases(std::shared_ptr<memory_leases> on, engine_identity self,
                   shard_number count);

/// Cuts an engine (by its name) off: its calls fail with `ec::store_failed`
/// until it is let in again.
void cut_off(memory_leases& from, const std::string& name, bool cut);

} // namespace depositd
