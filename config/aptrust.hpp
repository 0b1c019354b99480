#pragma once

// What APTrust's stages work with beside the tools of all stages, and who finds
// bags.

#include "adapters/bagit/profiles.hpp"
#include "adapters/processing/aptrust/ingest/bag_in_hand.hpp"
#include "adapters/processing/stages/chore.hpp"
#include "adapters/processing/stages/stage_tools.hpp"
#include "config/settings.hpp"
#include "config/work_cut.hpp"
#include "messages/actors.hpp"
#include "messages/values/clock.hpp"

#include <caf/actor_system.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace depositd {

/// Opens the receiving places of the settings. `ec::bad_setting` names the
/// first that cannot be used; all others are open then, which is enough for a
/// node that has not each folder. In the folder `notes`, which is this process'
/// own, stands what was mounted; empty: nowhere.
caf::error open_receiving(const depositd_settings& settings,
                          const std::filesystem::path& notes,
                          const work_cut_ptr& cut,
                          stages::stage_tools& out);

/// The BagIt profiles that are shipped, and those of the settings' folder.
/// `ec::bad_setting` if one is wrong, or the one of all bags is not there.
caf::expected<std::shared_ptr<const bagit::profile_set>>
open_profiles(const depositd_settings& settings);

aptrust::ingest_options
ingest_options_of(const depositd_settings& settings,
                  std::shared_ptr<const stages::stage_tools> tools,
                  std::shared_ptr<const bagit::profile_set> profiles);

/// One for each receiving place, on threads of their own. `leads` as in
/// `bag_reader_options`; `clock` is the one of rows, for bags are removed by
/// the age of theirs.
std::vector<stages::chore_actor>
spawn_bag_readers(caf::actor_system& system, const depositd_settings& settings,
                  const stages::stage_tools& with, const shards_actor& shards,
                  const std::function<bool()>& leads,
                  const engine_clock& clock);

} // namespace depositd
