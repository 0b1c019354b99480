#include "config/shared_services.hpp"

#include "actors/rules/control/stage_slots.hpp"
#include "adapters/minters/http_minter.hpp"
#include "adapters/processing/stages/bucket_room.hpp"
#include "adapters/processing/stages/minting_record.hpp"
#include "adapters/processing/stages/while_room.hpp"
#include "adapters/stores/files/disk_floor.hpp"
#include "adapters/stores/objects/storage_root.hpp"
#include "config/kept_work.hpp"
#include "config/stage_tools.hpp"
#include "config/stores.hpp"
#include "messages/values/job_documents.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace depositd {

namespace {

using stages::service_need;
using stages::service_use;
using stages::stage_task;
using stages::stage_handler;
using watched_disk = std::shared_ptr<stages::shared_disk>;
using service = std::shared_ptr<stages::shared_service>;
using service_map = std::map<std::string, service>;

constexpr std::chrono::milliseconds connect_limit{5'000};
constexpr std::chrono::milliseconds answer_limit{10'000};
/// Some relays keep all who come waiting before they greet them.
constexpr std::chrono::milliseconds greeting_limit{60'000};

/// Lists one key, as at the start: also a key that is refused, and a bucket
/// that is gone, are no fault of an item.
service bucket_service(const std::string& name, const s3_settings& place,
                       const work_cut_ptr& cut) {
  auto options = s3_options_of(place);
  options.tries = 1;
  options.limits.connect = connect_limit;
  options.limits.stalled = answer_limit;
  const auto bucket = std::make_shared<s3::client>(std::move(options));
  return std::make_shared<stages::shared_service>(
    stages::shared_service_options{
      .name = name, .ask = [bucket, stopped = watch(cut)] {
        return stopped() ? caf::error{} : bucket->check(); // the program ends
      }});
}

/// A storage root is there with its disk, which may be mounted from afar.
service folder_service(const std::string& name,
                       const std::filesystem::path& root) {
  const auto mark = root / ocfl::root_declaration.path;
  return std::make_shared<stages::shared_service>(
    stages::shared_service_options{
      .name = name, .ask = [mark]() -> caf::error {
        std::error_code code;
        if (std::filesystem::exists(mark, code))
          return {};
        return caf::make_error(ec::store_failed,
                               mark.string()
                                 + " is not there: is its disk mounted?");
      }});
}

watched_disk disk_of(const std::string& name,
                     const std::filesystem::path& folder) {
  return std::make_shared<stages::shared_disk>(
    name,
    [folder](std::uint64_t bytes) { return look_for_room(folder, bytes); });
}

/// Storage in a folder.
struct storage_folder {
  service root;
  watched_disk room;
};

/// As it was estimated; an item whose document is elsewhere needs something.
std::uint64_t bytes_of(const stage_task& task) {
  if (task.item.item.kind != body_kind::inline_bytes)
    return 0;
  const auto job = decode_job_document(task.item.item.body);
  return job && job->space_needed > 0
           ? static_cast<std::uint64_t>(job->space_needed)
           : 0;
}

/// By name; nodes have none at its default place.
std::map<std::string, storage_folder>
folders_of(const depositd_settings& settings,
           const stages::stage_tools& tools) {
  std::map<std::string, storage_folder> out;
  for (const auto& [name, place] : settings.storage)
    if (place.kind == storage_kind::folder && tools.storage.contains(name)) {
      const auto title = "storage." + name;
      const auto root = place.path.empty() ? own_objects_of(settings)
                                           : std::filesystem::path{place.path};
      out[name] = {folder_service(title, root), disk_of(title, root)};
    }
  return out;
}

/// By name.
template <class Place, class Kind>
service_map buckets_of(const std::map<std::string, Place>& places, Kind kind,
                       const std::string& of, const work_cut_ptr& cut) {
  service_map out;
  for (const auto& [name, place] : places)
    if (place.kind == kind)
      out[name] = bucket_service(of + "." + name, place.s3, cut);
  return out;
}

service minter_service(const depositd_settings& settings,
                       const work_cut_ptr& cut) {
  if (settings.minter.kind != minter_kind::http)
    return nullptr;
  http_minter_options options{.url = settings.minter.url,
                              .stopped = watch(cut)};
  return std::make_shared<stages::shared_service>(
    stages::shared_service_options{.name = "minter", .ask = [options] {
                                     return look_for_http_minter(options);
                                   }});
}

/// Every object of a collection goes into all storage that it names.
bool is_named(const stage_task& task, const std::string& storage) {
  if (task.collection == nullptr)
    return false;
  const auto& names = task.collection->storage;
  return std::find(names.begin(), names.end(), storage) != names.end();
}

bool is_order(std::string_view handler) {
  return handler.starts_with("aptrust.restore_")
         || handler == "aptrust.delete_item"
         || handler == "aptrust.fixity_check";
}

bool is_ingest(std::string_view handler) {
  return handler.starts_with("aptrust.") && !is_order(handler);
}

bool keeps_objects(std::string_view handler) {
  constexpr std::array<std::string_view, 5> all{
    "merritt.store", "merritt.record", "aptrust.store", "aptrust.check",
    "aptrust.record"};
  return std::find(all.begin(), all.end(), handler) != all.end();
}

void use_perhaps(const service& one, std::vector<service_use>& out) {
  out.push_back({one, [](const stage_task&) { return service_need::perhaps; }});
}

/// An order finds out where its object is, and may do without some of that.
void use_storage(const std::string& handler, const service_map& all,
                 std::vector<service_use>& out) {
  for (const auto& [name, one] : all) {
    if (keeps_objects(handler))
      out.push_back({one, [name = name](const stage_task& task) {
                       return is_named(task, name) ? service_need::surely
                                                   : service_need::none;
                     }});
    else if (is_order(handler))
      use_perhaps(one, out);
  }
}

/// Those that the handler may put something into, or read from.
std::vector<stages::bucket_use>
rooms_of(const std::string& handler, const depositd_settings& settings,
         const stages::stage_tools& tools) {
  std::vector<stages::bucket_use> out;
  const auto use = [&](const std::string& title, auto needs) {
    if (const auto room = tools.rooms.find(title); room != tools.rooms.end())
      out.push_back({room->second, std::move(needs)});
  };
  const bool orders = is_order(handler);
  for (const auto& [name, place] : settings.storage)
    if (orders || keeps_objects(handler))
      use("storage." + name, [orders, name = name](const stage_task& task) {
        return orders || is_named(task, name);
      });
  for (const auto& [name, place] : settings.restoration)
    if (orders)
      use("restoration." + name, [](const stage_task&) { return true; });
  for (const auto& [name, place] : settings.aptrust.receiving)
    if (is_ingest(handler))
      use("aptrust.receiving." + name, [](const stage_task&) { return true; });
  return out;
}

/// Anything at all has to have room.
stages::disk_use use_always(const watched_disk& one) {
  return {one,
          [](const stage_task&) { return std::optional<std::uint64_t>{0}; }};
}

/// What all stages share.
struct own_disks {
  watched_disk work;
  watched_disk tables; ///< of objects and their locks; null: others have them
};

/// Nodes have no tables, and with PostgreSQL a server has them.
own_disks own_disks_of(const depositd_settings& settings,
                       const stages::stage_tools& tools) {
  std::error_code code;
  const auto& data = settings.data.folder;
  return {disk_of("work.folder", tools.work_folder),
          std::filesystem::exists(data / "inventory.db", code)
            ? disk_of("data.folder", data)
            : nullptr};
}

/// APTrust counts what passes, and its items are an administrator's then.
stage_handler wait_for_folders(const std::string& handler,
                               const std::map<std::string, storage_folder>& all,
                               const own_disks& own, stage_handler does) {
  if (!handler.starts_with("merritt."))
    return does;
  std::vector<service_use> roots;
  std::vector<stages::disk_use> disks;
  for (const auto& [name, one] : all) {
    use_storage(handler, {{name, one.root}}, roots);
    if (handler == "merritt.store")
      disks.push_back({one.room, [name = name](const stage_task& task) {
                         return is_named(task, name)
                                  ? std::optional{bytes_of(task)}
                                  : std::nullopt;
                       }});
  }
  if (rules::needs_of({.name = handler, .handler = handler}).work_folder)
    disks.push_back(use_always(own.work));
  if (own.tables)
    disks.push_back(use_always(own.tables));
  return stages::while_reachable(
    std::move(roots), stages::while_room(std::move(disks), std::move(does)));
}

} // namespace

void wait_for_services(stages::stage_handlers& all,
                       const depositd_settings& settings,
                       const stages::stage_tools& tools,
                       const work_cut_ptr& cut) {
  const auto storage =
    buckets_of(settings.storage, storage_kind::s3, "storage", cut);
  const auto folders = folders_of(settings, tools);
  const auto restoration =
    buckets_of(settings.restoration, storage_kind::s3, "restoration", cut);
  const auto receiving = buckets_of(settings.aptrust.receiving,
                                    receiving_kind::s3, "aptrust.receiving",
                                    cut);
  const auto minter = minter_service(settings, cut);
  const auto own = own_disks_of(settings, tools);
  for (auto& [handler, work] : all) {
    std::vector<service_use> uses;
    use_storage(handler, storage, uses);
    if (is_order(handler))
      for (const auto& [name, one] : restoration)
        use_perhaps(one, uses);
    if (is_ingest(handler))
      for (const auto& [name, one] : receiving)
        use_perhaps(one, uses);
    if (minter && handler == "merritt.process")
      use_perhaps(minter, uses);
    work = stages::while_reachable(
      std::move(uses),
      stages::while_taken(
        rooms_of(handler, settings, tools),
        wait_for_folders(handler, folders, own, std::move(work))));
    if (handler == "merritt.process")
      work = stages::while_minting(tools.minting, std::move(work));
  }
}

s3::client_options watched_bucket(const std::string& name,
                                  const s3_settings& place,
                                  const work_cut_ptr& cut,
                                  stages::stage_tools& tools) {
  auto out = s3_options_of(place);
  out.stopped = watch(cut);
  const auto room = std::make_shared<stages::bucket_room>(name);
  tools.rooms[name] = room;
  out.put_ended = [room](std::uint64_t bytes, const caf::error& no_room) {
    room->put_ended(bytes, no_room);
  };
  out.was_busy = [room](const caf::error& why) { room->was_busy(why); };
  return out;
}

std::shared_ptr<stages::shared_service>
relay_service(const depositd_settings& settings, const work_cut_ptr& cut) {
  if (settings.mail.smtp.empty())
    return nullptr;
  auto options = smtp_options_of(settings.mail, cut);
  if (!options)
    return nullptr; // the engine did not start
  options->connect_limit = connect_limit;
  options->time_limit = greeting_limit;
  return std::make_shared<stages::shared_service>(
    stages::shared_service_options{
      .name = "mail",
      .ask = [relay = std::move(*options)] { return look_for_relay(relay); }});
}

stages::stage_handler wait_for_room(const std::filesystem::path& work_folder,
                                    stages::stage_handler program) {
  return stages::while_room(
    {use_always(disk_of("work.folder", work_folder))}, std::move(program));
}

} // namespace depositd
