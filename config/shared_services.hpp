#pragma once

// What stages need beyond this machine, as the settings choose it.

#include "adapters/processing/stages/shared_service.hpp"
#include "adapters/stores/s3/client.hpp"
#include "config/settings.hpp"
#include "config/work_cut.hpp"

#include <filesystem>
#include <string>

namespace depositd {

/// Has each handler's items wait, at no cost of their attempts, while a bucket
/// or a minter that they need is away, or the bucket is full; Merritt's also
/// while storage in a folder is.
void wait_for_services(stages::stage_handlers& all,
                       const depositd_settings& settings,
                       const stages::stage_tools& tools,
                       const work_cut_ptr& cut);

/// How to reach a bucket, of whose room `tools` knows from now on. `name` is
/// that of its settings.
s3::client_options watched_bucket(const std::string& name,
                                  const s3_settings& place,
                                  const work_cut_ptr& cut,
                                  stages::stage_tools& tools);

/// The same for programs while the working folder's disk is full.
stages::stage_handler wait_for_room(const std::filesystem::path& work_folder,
                                    stages::stage_handler program);

/// The relay that mail goes to; null where no mail is sent.
std::shared_ptr<stages::shared_service>
relay_service(const depositd_settings& settings, const work_cut_ptr& cut);

} // namespace depositd
