#include "config/aptrust.hpp"

#include "adapters/processing/aptrust/ingest/bag_reader.hpp"
#include "adapters/stores/receiving/folder_receiving.hpp"
#include "adapters/stores/receiving/s3_receiving.hpp"
#include "config/aptrust_settings.hpp"
#include "config/node_name.hpp"
#include "config/orders.hpp"
#include "config/shared_services.hpp"
#include "config/shipped_profiles.hpp"
#include "config/stores.hpp"
#include "messages/work.hpp"

#include <chrono>
#include <utility>

namespace depositd {

namespace {

caf::expected<std::unique_ptr<receiving_place>>
open_place(const std::string& name, const receiving_settings& x,
           std::uint32_t rate_min, const std::filesystem::path& notes,
           const work_cut_ptr& cut, stages::stage_tools& tools) {
  if (x.kind == receiving_kind::s3) {
    auto options =
      watched_bucket("aptrust.receiving." + name, x.s3, cut, tools);
    options.limits.rate_min = rate_min;
    return open_s3_receiving(std::move(options));
  }
  return open_folder_receiving(
    {.folder = x.path,
     .note = notes.empty() ? notes : notes / ("receiving." + name)});
}

} // namespace

caf::error open_receiving(const depositd_settings& settings,
                          const std::filesystem::path& notes,
                          const work_cut_ptr& cut, stages::stage_tools& out) {
  caf::error failure;
  for (const auto& [name, place] : settings.aptrust.receiving) {
    auto opened =
      open_place(name, place, settings.fetch.rate_min, notes, cut, out);
    if (opened)
      out.receiving[name] = std::move(*opened);
    else if (!failure)
      failure = caf::make_error(
        ec::bad_setting,
        "aptrust.receiving." + name
          + (place.kind == receiving_kind::s3 ? ".bucket: " : ".path: ")
          + render(opened.error()));
  }
  return failure;
}

caf::expected<std::shared_ptr<const bagit::profile_set>>
open_profiles(const depositd_settings& settings) {
  auto read = profiles_of(settings.aptrust.profiles);
  if (!read)
    return caf::make_error(ec::bad_setting,
                           "aptrust.profiles: " + render(read.error()));
  const auto& wanted = settings.aptrust.profile;
  if (!wanted.empty() && read->find(wanted) == nullptr)
    return caf::make_error(ec::bad_setting,
                           "aptrust.profile: there is no \"" + wanted + "\"");
  return std::make_shared<const bagit::profile_set>(std::move(*read));
}

aptrust::ingest_options
ingest_options_of(const depositd_settings& settings,
                  std::shared_ptr<const stages::stage_tools> tools,
                  std::shared_ptr<const bagit::profile_set> profiles) {
  aptrust::ingest_options out;
  out.tools = std::move(tools);
  out.profiles = std::move(profiles);
  out.profile_otherwise = settings.aptrust.profile;
  out.siegfried = settings.aptrust.siegfried;
  out.node = node_name(settings);
  return out;
}

std::vector<stages::chore_actor>
spawn_bag_readers(caf::actor_system& system, const depositd_settings& settings,
                  const stages::stage_tools& with, const shards_actor& shards,
                  const std::function<bool()>& leads,
                  const engine_clock& clock) {
  std::vector<stages::chore_actor> out;
  for (const auto& [name, place] : settings.aptrust.receiving) {
    aptrust::bag_reader_options options;
    options.place = name;
    options.user = receiving_user(name, place);
    options.collection = receiving_collection(name, place);
    options.bags = with.receiving.at(name);
    options.reads = with.work;
    options.inventory = with.inventory;
    options.submit = submitter_to(system, shards);
    options.leads = leads;
    options.invalid_retention =
      std::chrono::hours{settings.aptrust.invalid_retention_days * 24};
    options.now = [clock] { return clock.now(); };
    options.wall = [] { return engine_clock::system().now(); };
    const auto reader =
      std::make_shared<aptrust::bag_reader>(std::move(options));
    stages::chore_options chore;
    chore.work = [reader] { return reader->run_and_log(); };
    chore.pause = std::chrono::seconds{place.interval_s};
    chore.retry = chore.pause;
    out.push_back(system.spawn<caf::detached>(stages::chore, std::move(chore)));
  }
  return out;
}

} // namespace depositd
