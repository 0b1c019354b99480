#pragma once

// Handlers of deposits over some stores: an engine's own, or those of the
// engine that a node works for.

#include "adapters/bagit/profiles.hpp"
#include "adapters/processing/stages/stage_tools.hpp"
#include "config/public_address.hpp"
#include "config/settings.hpp"
#include "config/work_cut.hpp"
#include "messages/actors.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/values/memory_budget.hpp"

#include <caf/actor_system.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace depositd {

struct deposit_handlers {
  /// Spawns a slot's; all of them share threads.
  std::function<handler_actor()> spawn;
  /// Spawns one that does so many items at once, on threads of its own.
  std::function<handler_actor(std::size_t threads)> spawn_apart;
};

/// Those of deposits that are processed while their depositor waits; one user
/// never has all of them.
inline constexpr std::uint32_t synchronous_threads = 3;

/// Where their work waits for stores elsewhere, each slot's waits by itself.
enum class stores_are : std::uint8_t { here, elsewhere };

/// What they share, such as schemas, is opened once. What they read is counted
/// by `memory`.
deposit_handlers handlers_of(caf::actor_system& system,
                             const depositd_settings& settings,
                             std::shared_ptr<blob_store> blobs,
                             std::shared_ptr<doi_registry> registry,
                             stores_are where,
                             std::shared_ptr<memory_budget> memory);

struct stage_handlers_made {
  /// Spawns what a slot of a stage's queue has its items done by.
  std::function<handler_actor(const std::string& queue)> spawn;
  /// Since when one of them has worked on an item; null: all begin at once.
  std::function<micros(item_id)> begun;
};

/// All handlers of stages, built in and programs. `profiles` as
/// `open_profiles` gives them. Their work ends soon once `cut` is made.
stage_handlers_made
stage_handlers_of(caf::actor_system& system, const depositd_settings& settings,
                  std::shared_ptr<const stages::stage_tools> tools,
                  std::shared_ptr<const bagit::profile_set> profiles,
                  const work_cut_ptr& cut, public_address_ptr doors);

} // namespace depositd
