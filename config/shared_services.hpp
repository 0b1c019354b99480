#pragma once

// What stages need beyond this machine, as the settings choose it.

#include "adapters/processing/stages/shared_service.hpp"
#include "config/settings.hpp"
#include "config/work_cut.hpp"

#include <filesystem>

namespace depositd {

/// Has each handler's items wait, at no cost of their attempts, while a bucket
/// or a minter that they need is away; Merritt's also while storage in a folder
/// is.
void wait_for_services(stages::stage_handlers& all,
                       const depositd_settings& settings,
                       const stages::stage_tools& tools,
                       const work_cut_ptr& cut);

/// The same for programs while the working folder's disk is full.
stages::stage_handler wait_for_room(const std::filesystem::path& work_folder,
                                    stages::stage_handler program);

/// The relay that mail goes to; null where no mail is sent.
std::shared_ptr<stages::shared_service>
relay_service(const depositd_settings& settings, const work_cut_ptr& cut);

} // namespace depositd
