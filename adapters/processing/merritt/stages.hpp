#pragma once

// Merritt's pipeline: the handlers of its first stages, by their names.

#include "adapters/processing/merritt/fetching_turns.hpp"
#include "adapters/processing/merritt/promised_room.hpp"
#include "adapters/processing/stages/stage_tools.hpp"

#include <chrono>
#include <cstdint>
#include <memory>

namespace depositd::merritt {

/// merritt.split, merritt.stage, merritt.estimate, merritt.provision,
/// merritt.download and merritt.process. All of them may be called again with
/// the same document after a crash at any point. `room` is shared with whoever
/// else fills the working folder. What is fetched for longer than `slow_from`
/// is put back if all workers of its stage are at such work. Manifests in work
/// take `manifest_bytes` of memory, about.
stages::stage_handlers
first_stages(std::shared_ptr<const stages::stage_tools> tools,
             std::shared_ptr<promised_room> room
             = std::make_shared<promised_room>(),
             std::chrono::milliseconds slow_from = slow_fetch_from,
             std::uint64_t manifest_bytes = std::uint64_t{256} << 20);

} // namespace depositd::merritt
