#pragma once

// What the stages of pipelines work with in an engine, as the settings choose
// it.

#include "adapters/processing/stages/stage_tools.hpp"
#include "config/settings.hpp"
#include "config/stores.hpp"
#include "messages/actors.hpp"

#include <caf/actor_system.hpp>

#include <filesystem>
#include <memory>

namespace depositd {

/// `work.folder`, or where it is without that setting.
std::filesystem::path work_folder_of(const depositd_settings& settings);

/// Makes the folders that are not there, and opens what is in them. `reads`
/// answers what handlers ask of batches and jobs; `shards` is told which items
/// need wait no longer. The error is one line that names the setting.
caf::expected<std::shared_ptr<const stages::stage_tools>>
open_stage_tools(caf::actor_system& system, const depositd_settings& settings,
                 const stores& durable, const read_model_actor& reads,
                 const shards_actor& shards);

} // namespace depositd
