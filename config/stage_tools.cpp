#include "config/stage_tools.hpp"

#include "config/orders.hpp"

#include "adapters/fetching/web_downloader.hpp"
#include "adapters/minters/http_minter.hpp"
#include "adapters/minters/local_minter.hpp"
#include "adapters/notifying/web_callbacks.hpp"
#include "adapters/processing/stages/minting_record.hpp"
#include "adapters/processing/stages/read_model_reader.hpp"
#include "adapters/stores/files/disk.hpp"
#include "adapters/stores/files/file.hpp"
#include "adapters/stores/objects/folder_objects.hpp"
#include "adapters/stores/postgres/postgres_inventory.hpp"
#include "adapters/stores/s3/s3_objects.hpp"
#include "adapters/stores/sqlite/sqlite_inventory.hpp"
#include "config/aptrust.hpp"
#include "config/kept_work.hpp"
#include "config/scratch_folder.hpp"
#include "config/shared_services.hpp"
#include "config/work_folder.hpp"

#include <caf/send.hpp>
#include <spdlog/spdlog.h>

#include <mutex>
#include <system_error>
#include <utility>

namespace depositd {

namespace {

namespace fs = std::filesystem;

caf::error about(const std::string& setting, const caf::error& why) {
  return caf::make_error(ec::bad_setting, setting + ": " + render(why));
}

/// For the owner alone, if it is new, as the folders above it that are.
caf::error make_private(const std::string& setting, const fs::path& folder) {
  std::error_code failed;
  if (auto wrong = make_folders(system_disk(), folder))
    return about(setting, wrong);
  if (!fs::is_directory(folder, failed))
    return caf::make_error(ec::bad_setting,
                           setting + ": " + folder.string()
                             + " is no folder: " + failed.message());
  const auto others = fs::perms::group_all | fs::perms::others_all;
  const auto mode = fs::status(folder, failed).permissions();
  if (!failed && (mode & others) != fs::perms::none)
    spdlog::warn("setting_remark {}: others may look into {}", setting,
                 folder.string());
  return {};
}

/// What goes to the web, with the guard between.
struct guarded_web {
  guarded_web(const fetch_settings& settings, std::uint64_t disk_free_min,
              const work_cut_ptr& cut)
    : guard(settings.allow),
      files(make_web_downloader(guard,
                                {.limits = {.rate_min = settings.rate_min,
                                            .stopped = watch(cut)},
                                 .disk_free_min = disk_free_min})),
      callbacks(make_web_callbacks(guard, {.stopped = watch(cut)})) {
    // nop
  }

  address_guard guard;
  std::unique_ptr<downloader> files;
  std::unique_ptr<callback_sender> callbacks;
};

void open_web(const fetch_settings& settings, const work_cut_ptr& cut,
              stages::stage_tools& out) {
  const auto all =
    std::make_shared<guarded_web>(settings, out.provision.free_min, cut);
  out.downloader = {all, all->files.get()};
  out.callbacks = {all, all->callbacks.get()};
}

mail_privacy privacy_of(mail_tls x) {
  switch (x) {
    case mail_tls::starttls:
      return mail_privacy::starttls;
    case mail_tls::smtps:
      return mail_privacy::tls;
    case mail_tls::none:
      break;
  }
  return mail_privacy::none;
}

caf::error open_mail(const mail_settings& settings, const work_cut_ptr& cut,
                     stages::stage_tools& out) {
  if (settings.smtp.empty())
    return {};
  auto options = smtp_options_of(settings, cut);
  if (!options)
    return std::move(options.error());
  auto opened = make_smtp_mailer(std::move(*options));
  if (!opened)
    return about("mail.from", opened.error());
  out.mailer = std::move(*opened);
  out.reports_bcc = settings.reports_bcc;
  return {};
}

caf::expected<std::unique_ptr<inventory>>
open_inventory(const depositd_settings& settings) {
  switch (settings.store.kind) {
    case store_kind::postgres:
      return open_postgres_inventory({.url = settings.store.url});
    case store_kind::memory:
      return open_sqlite_inventory(":memory:");
    case store_kind::embedded:
      break;
  }
  return open_sqlite_inventory(settings.data.folder / "inventory.db");
}

/// Engines that share a database share one file of identifiers, each for as
/// long as it takes to give one: two files would give the same identifiers.
class shared_local_minter final : public minter {
public:
  explicit shared_local_minter(local_minter_options options)
    : options_(std::move(options)) {
    // nop
  }

  caf::expected<std::string> mint(const mint_request& x) override {
    const std::lock_guard turn{mutex_};
    auto opened = open_local_minter(options_);
    if (!opened)
      return std::move(opened.error());
    return (*opened)->mint(x);
  }

private:
  std::mutex mutex_;
  const local_minter_options options_;
};

identifiers_after identifiers_in(std::shared_ptr<inventory> objects) {
  return [objects = std::move(objects)](const std::string& after)
           -> caf::expected<std::vector<std::string>> {
    inventory_search what;
    what.after = after;
    what.count_max = 1'000;
    auto found = objects->find(what);
    if (!found)
      return std::move(found.error());
    std::vector<std::string> out;
    for (auto& x : *found)
      out.push_back(std::move(x.identifier));
    return out;
  };
}

identifier_taken taken_in(std::shared_ptr<inventory> objects) {
  return [objects = std::move(objects)](
           const std::string& identifier) -> caf::expected<bool> {
    const auto found =
      objects->find({.identifier = identifier, .count_max = 1});
    if (!found)
      return found.error();
    return !found->empty();
  };
}

caf::expected<std::shared_ptr<minter>>
open_minter(const depositd_settings& settings,
            const std::shared_ptr<inventory>& objects,
            const work_cut_ptr& cut) {
  if (settings.minter.kind == minter_kind::http)
    return std::shared_ptr<minter>{make_http_minter(
      {.url = settings.minter.url, .stopped = watch(cut)})};
  const bool shared = settings.store.kind == store_kind::postgres;
  const auto folder = shared ? work_folder_of(settings) / ".minter"
                             : settings.data.folder / "minter";
  if (auto failed = make_private("minter.kind", folder))
    return failed;
  local_minter_options options{.folder = folder,
                               .known = identifiers_in(objects),
                               .taken = taken_in(objects)};
  if (shared)
    return std::shared_ptr<minter>{
      std::make_shared<shared_local_minter>(std::move(options))};
  auto opened = open_local_minter(options);
  if (!opened)
    return about("minter.kind", opened.error());
  return std::shared_ptr<minter>{std::move(*opened)};
}

caf::expected<std::unique_ptr<storage_target>>
open_folder(const depositd_settings& settings, const storage_settings& target,
            const fs::path& note,
            const std::shared_ptr<ocfl::copy_gate>& gate) {
  if (!target.path.empty())
    return open_folder_objects(
      {.folder = target.path, .note = note, .begins = !note.empty()});
  return open_folder_objects(
    {.folder = own_objects_of(settings), .gate = gate});
}

/// Engines that share a database share these as they share identifiers.
fs::path storage_notes_of(const depositd_settings& settings) {
  return settings.store.kind == store_kind::postgres
           ? work_folder_of(settings) / ".storage"
           : settings.data.folder / "storage";
}

/// Engines keep in `notes` which folders have been storage. Nodes have none,
/// and begin none.
caf::error open_storage(const depositd_settings& settings,
                        const fs::path& notes,
                        const std::shared_ptr<ocfl::copy_gate>& gate,
                        const work_cut_ptr& cut, stages::stage_tools& out) {
  for (const auto& [name, target] : settings.storage) {
    auto opened =
      target.kind == storage_kind::s3
        ? open_s3_objects(
          watched_bucket("storage." + name, target.s3, cut, out))
        : open_folder(settings, target, notes.empty() ? notes : notes / name,
                      gate);
    if (!opened)
      return about("storage." + name
                     + (target.kind == storage_kind::s3 ? ".bucket" : ".path"),
                   opened.error());
    out.storage[name] = std::move(*opened);
  }
  return {};
}

/// What engines and nodes have alike.
void open_common(const depositd_settings& settings,
                 std::shared_ptr<blob_store> blobs, const work_cut_ptr& cut,
                 stages::stage_tools& out) {
  out.work_folder = work_folder_of(settings);
  out.blobs = std::move(blobs);
  out.estimates.unknown_penalty = settings.estimate.unknown_penalty;
  out.estimates.sizes = settings.estimate.sizes;
  out.provision.free_min = std::uint64_t{settings.work.free_min_mb} << 20;
  open_web(settings.fetch, cut, out);
}

/// Null: there is none.
void use_minter(std::shared_ptr<minter> x, stages::stage_tools& out) {
  if (!x)
    return;
  out.minting = std::make_shared<stages::minting_record>();
  out.minter =
    std::make_shared<stages::recorded_minter>(std::move(x), out.minting);
}

/// A node has no folder of its own but in the one that all share, and nothing
/// there if it is called otherwise at the next start.
fs::path mount_notes_of_node(const depositd_settings& settings) {
  const auto folder = work_folder_of(settings);
  std::error_code unknown;
  const bool keeps = !settings.work.folder.empty()
                     && !settings.node.name.empty()
                     && fs::is_directory(folder, unknown);
  return keeps ? folder / ".mounts" / settings.node.name : fs::path{};
}

} // namespace

caf::expected<smtp_options> smtp_options_of(const mail_settings& settings,
                                            const work_cut_ptr& cut) {
  auto relay = parse_endpoint(settings.smtp);
  if (!relay)
    return about("mail.smtp", relay.error());
  smtp_options out{.relay = std::move(*relay), .from = settings.from};
  out.privacy = privacy_of(settings.tls);
  out.ca_file = settings.ca;
  out.user = settings.user;
  out.password = settings.password;
  out.stopped = watch(cut);
  return out;
}

caf::expected<std::shared_ptr<const stages::stage_tools>>
open_stage_tools(caf::actor_system& system, const depositd_settings& settings,
                 const stores& durable, const read_model_actor& reads,
                 const shards_actor& shards,
                 const std::shared_ptr<ocfl::copy_gate>& gate,
                 const work_cut_ptr& cut) {
  const auto out = std::make_shared<stages::stage_tools>();
  open_common(settings, durable.blobs, cut, *out);
  if (auto failed = make_private("work.folder", out->work_folder))
    return failed;
  if (auto failed = open_mail(settings.mail, cut, *out))
    return failed;
  auto catalogue = open_inventory(settings);
  if (!catalogue)
    return std::move(catalogue.error());
  out->inventory = std::move(*catalogue);
  auto minter = open_minter(settings, out->inventory, cut);
  if (!minter)
    return std::move(minter.error());
  use_minter(std::move(*minter), *out);
  if (auto failed =
        open_storage(settings, storage_notes_of(settings), gate, cut, *out))
    return failed;
  if (auto failed =
        open_receiving(settings, mount_notes_of(settings), cut, *out))
    return failed;
  out->work = stages::make_read_model_reader(system, {.from = reads});
  out->submit = submitter_to(system, shards);
  if (auto failed = open_orders(settings, cut, *out))
    return failed;
  out->wake = [shards](wake_items x) { caf::anon_send(shards, std::move(x)); };
  out->lock_waits = std::make_shared<stages::item_waits>(out->wake);
  return std::shared_ptr<const stages::stage_tools>{out};
}

caf::expected<std::shared_ptr<const stages::stage_tools>>
open_node_tools(const depositd_settings& settings, engine_stores engine,
                const work_cut_ptr& cut) {
  const auto out = std::make_shared<stages::stage_tools>();
  open_common(settings, std::move(engine.blobs), cut, *out);
  // Programs start somewhere, unless there is to be a working folder.
  std::error_code unknown;
  if (settings.work.folder.empty()
      && !fs::is_directory(out->work_folder, unknown))
    out->work_folder = temporary_place();
  out->inventory = std::move(engine.inventory);
  use_minter(std::move(engine.minter), *out);
  // Another folder at the default place would be another storage.
  auto named = settings;
  std::erase_if(named.storage, [](const auto& x) {
    return x.second.kind == storage_kind::folder && x.second.path.empty();
  });
  if (auto failed = open_storage(named, {}, nullptr, cut, *out))
    return failed;
  if (const auto failed =
        open_receiving(settings, mount_notes_of_node(settings), cut, *out))
    spdlog::warn("receiving_not_opened reason=\"{}\"", render(failed));
  return std::shared_ptr<const stages::stage_tools>{out};
}

} // namespace depositd
