#pragma once

// What the stages of pipelines work with in an engine or a node, as the
// settings choose it.

#include "adapters/notifying/smtp_mailer.hpp"
#include "adapters/processing/stages/stage_tools.hpp"
#include "adapters/stores/objects/copy_gate.hpp"
#include "config/settings.hpp"
#include "config/stores.hpp"
#include "config/work_cut.hpp"
#include "messages/actors.hpp"

#include <caf/actor_system.hpp>

#include <memory>

namespace depositd {

/// Makes the folders that are not there, and opens what is in them. `reads`
/// answers what handlers ask of batches and jobs; `shards` is told which items
/// need wait no longer. `gate` is between those who store in the data folder
/// and backups. What `cut` breaks off ends soon once it is made. The error is
/// one line that names the setting.
caf::expected<std::shared_ptr<const stages::stage_tools>>
open_stage_tools(caf::actor_system& system, const depositd_settings& settings,
                 const stores& durable, const read_model_actor& reads,
                 const shards_actor& shards,
                 const std::shared_ptr<ocfl::copy_gate>& gate,
                 const work_cut_ptr& cut);

/// Of the relay `mail.smtp`, which is set; `ec::bad_setting` if it is no
/// address. What is asked of it ends soon once `cut` is made.
caf::expected<smtp_options> smtp_options_of(const mail_settings& settings,
                                            const work_cut_ptr& cut);

/// What a joined node has of its engine's stores.
struct engine_stores {
  std::shared_ptr<blob_store> blobs;
  std::shared_ptr<depositd::inventory> inventory;
  std::shared_ptr<depositd::minter> minter;
};

/// The same for a joined node: without mail and read model, which stages of
/// engines need alone, and without storage at its default place, which is
/// another one here.
caf::expected<std::shared_ptr<const stages::stage_tools>>
open_node_tools(const depositd_settings& settings, engine_stores engine,
                const work_cut_ptr& cut);

} // namespace depositd
