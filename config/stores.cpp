#include "config/stores.hpp"

#include "adapters/stores/blobs/folder_blobs.hpp"
#include "adapters/stores/blobs/telling_blobs.hpp"
#include "adapters/stores/files/file.hpp"
#include "adapters/stores/files/shard_folders.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "adapters/stores/memory/memory_journal_store.hpp"
#include "adapters/stores/postgres/postgres_blobs.hpp"
#include "adapters/stores/postgres/postgres_doi_registry.hpp"
#include "adapters/stores/postgres/postgres_journal_store.hpp"
#include "adapters/stores/postgres/postgres_projection_store.hpp"
#include "adapters/stores/postgres/postgres_shard_leases.hpp"
#include "adapters/stores/s3/s3_blobs.hpp"
#include "adapters/stores/segments/segments.hpp"
#include "adapters/stores/sqlite/sqlite_doi_registry.hpp"
#include "adapters/stores/sqlite/sqlite_projection_store.hpp"
#include "config/kept_work.hpp"
#include "config/lost_tables.hpp"
#include "config/record_logs.hpp"

namespace depositd {

namespace {

template <class To, class Opened>
caf::error put(To& to, Opened opened) {
  if (!opened)
    return std::move(opened.error());
  to = std::move(*opened);
  return {};
}

caf::error open_registry(const std::filesystem::path& file, stores& out) {
  return put(out.registry,
             open_sqlite_registry(file, {.log_bytes = registry_log_bytes}));
}

/// Projection and registry.
caf::error open_tables(const std::filesystem::path& projection,
                       const std::filesystem::path& registry, stores& out) {
  if (auto wrong = put(out.projection, open_sqlite_projection(projection)))
    return wrong;
  return open_registry(registry, out);
}

segments_options segments_in(const std::filesystem::path& folder,
                             const depositd_settings& settings,
                             shard_number shard) {
  segments_options out;
  out.folder = folder / "journal";
  out.shard = shard;
  out.segment_bytes = std::uint64_t{settings.store.segment_mb} << 20;
  return out;
}

blobs_kind kind_of_blobs(const depositd_settings& settings) {
  if (settings.blobs.kind != blobs_kind::as_store)
    return settings.blobs.kind;
  return settings.store.kind == store_kind::postgres ? blobs_kind::postgres
                                                     : blobs_kind::folder;
}

caf::expected<std::unique_ptr<blob_store>>
open_blobs_of(const depositd_settings& settings,
              const std::function<bool()>& stopped) {
  const auto& blobs = settings.blobs;
  switch (kind_of_blobs(settings)) {
    case blobs_kind::postgres:
      return open_postgres_blobs({.url = settings.store.url});
    case blobs_kind::s3: {
      auto options = s3_options_of(blobs.s3);
      options.stopped = stopped;
      return open_s3_blobs(std::move(options));
    }
    case blobs_kind::as_store:
    case blobs_kind::folder:
      break;
  }
  if (settings.store.kind == store_kind::memory && blobs.path.empty())
    return make_memory_blobs();
  if (blobs.path.empty())
    return open_folder_blobs({.folder = settings.data.folder / "blobs"});
  return open_folder_blobs(
    {.folder = blobs.path, .note = mount_notes_of(settings) / "blobs"});
}

caf::error open_blobs(const depositd_settings& settings,
                      const std::function<bool()>& stopped, stores& out) {
  auto opened = open_blobs_of(settings, stopped);
  if (!opened && settings.blobs.kind != blobs_kind::as_store)
    return caf::make_error(ec::bad_setting,
                           "blobs.kind: " + render(opened.error()));
  if (!opened)
    return std::move(opened.error());
  out.blobs = make_telling_blobs(std::move(*opened));
  return {};
}

caf::error make_data_folder(const depositd_settings& settings) {
  if (auto failed = make_folders(system_disk(), settings.data.folder))
    return caf::make_error(ec::store_failed, "data.folder: " + render(failed));
  return {};
}

caf::error agree_in_folder(const depositd_settings& settings) {
  return agree_in_file(system_disk(), settings.data.folder / "store.facts",
                       facts_of(settings));
}

caf::error check_lost(const depositd_settings& settings) {
  auto lost = check_journals_there(settings);
  return lost ? lost : check_tables_there(settings);
}

caf::expected<stores> open_embedded(const depositd_settings& settings,
                                    const std::function<bool()>& stopped) {
  const auto& folder = settings.data.folder;
  if (auto wrong = make_data_folder(settings))
    return wrong;
  if (auto wrong = check_only_shard(folder))
    return wrong;
  if (auto wrong = check_lost(settings))
    return wrong;
  stores out;
  // The journal first: its lock says whether the folder is in use.
  if (auto wrong =
        put(out.journal, open_segments(segments_in(folder, settings, 0))))
    return wrong;
  if (auto wrong = agree_in_folder(settings))
    return wrong;
  if (auto wrong = open_blobs(settings, stopped, out))
    return wrong;
  if (auto wrong =
        open_tables(folder / "projection.db", folder / "registry.db", out))
    return wrong;
  if (auto wrong =
        check_journal_end(*out.journal, *out.projection, folder.string()))
    return wrong;
  return out;
}

/// What the shards of a data folder share.
caf::expected<stores>
open_embedded_effects(const depositd_settings& settings,
                      const std::function<bool()>& stopped) {
  const auto& folder = settings.data.folder;
  if (auto wrong = make_data_folder(settings))
    return wrong;
  stores out;
  if (auto wrong = put(out.lock, lock_shards(system_disk(), folder,
                                             settings.shards.count)))
    return wrong;
  if (auto wrong = check_lost(settings))
    return wrong;
  if (auto wrong = agree_in_folder(settings))
    return wrong;
  if (auto wrong = open_blobs(settings, stopped, out))
    return wrong;
  if (auto wrong = open_registry(folder / "registry.db", out))
    return wrong;
  return out;
}

caf::expected<shard_stores>
open_embedded_shard(const depositd_settings& settings, shard_number shard) {
  const auto folder = shard_folder(settings.data.folder, shard);
  if (auto failed = make_folders(system_disk(), folder))
    return failed;
  shard_stores out;
  if (auto wrong =
        put(out.journal, open_segments(segments_in(folder, settings, shard))))
    return wrong;
  if (auto wrong =
        put(out.projection, open_sqlite_projection(folder / "projection.db")))
    return wrong;
  if (auto wrong =
        check_journal_end(*out.journal, *out.projection, folder.string()))
    return wrong;
  return out;
}

/// Blobs and registry.
caf::error open_effects(const depositd_settings& settings,
                        const std::function<bool()>& stopped, stores& out) {
  if (auto wrong = open_blobs(settings, stopped, out))
    return wrong;
  return put(out.registry, open_postgres_registry({.url = settings.store.url}));
}

/// At the start nobody knows yet which server is meant.
caf::error naming_url(const caf::error& why) {
  const auto text = render(why);
  return text.starts_with("postgres: ") ? caf::make_error(
           static_cast<ec>(why.code()), "store.url: " + text)
                                        : why;
}

caf::expected<stores> open_postgres(const depositd_settings& settings,
                                    const std::function<bool()>& stopped) {
  const postgres_options server{.url = settings.store.url};
  if (auto wrong = check_postgres_shard_count(server, 1, facts_of(settings)))
    return wrong;
  // The journal's lock says whether the shard is in use.
  auto shard = open_shard_stores(settings, 0, 0);
  if (!shard)
    return std::move(shard.error());
  stores out;
  out.journal = std::move(shard->journal);
  out.projection = std::move(shard->projection);
  if (auto wrong = open_effects(settings, stopped, out))
    return wrong;
  return out;
}

caf::expected<stores> open_memory(const depositd_settings& settings,
                                  const std::function<bool()>& stopped) {
  stores out;
  out.journal = open_memory_journal(make_memory_journal());
  if (auto wrong = open_blobs(settings, stopped, out))
    return wrong;
  if (auto wrong = open_tables(":memory:", ":memory:", out))
    return wrong;
  return out;
}

} // namespace

s3::client_options s3_options_of(const s3_settings& settings) {
  s3::client_options out;
  out.place = {.endpoint = settings.endpoint,
               .region = settings.region,
               .bucket = settings.bucket,
               .prefix = settings.prefix,
               .path_style = settings.path_style,
               .access_key = settings.access_key,
               .secret_key = settings.secret_key,
               .ca_file = settings.ca_file};
  return out;
}

caf::expected<stores> open_shared_stores(const depositd_settings& settings,
                                         const std::function<bool()>& stopped) {
  if (settings.store.kind == store_kind::embedded)
    return open_embedded_effects(settings, stopped);
  stores out;
  if (auto wrong = open_effects(settings, stopped, out))
    return naming_url(wrong);
  return out;
}

caf::expected<shard_stores> open_shard_stores(const depositd_settings& settings,
                                              shard_number shard,
                                              epoch_number epoch) {
  if (settings.store.kind == store_kind::embedded)
    return open_embedded_shard(settings, shard);
  const postgres_options server{.url = settings.store.url, .shard = shard};
  shard_stores out;
  if (auto wrong =
        put(out.journal,
            open_postgres_journal(
              {.server = server,
               .segment_bytes = std::uint64_t{settings.store.segment_mb} << 20,
               .epoch = epoch})))
    return wrong;
  if (auto wrong =
        put(out.projection,
            open_postgres_projection(
              {.server = server, .epoch = out.journal->epoch()})))
    return wrong;
  if (auto wrong = check_journal_end(*out.journal, *out.projection,
                                     "postgres: shard "
                                       + std::to_string(shard)))
    return wrong;
  auto clock = postgres_clock(server);
  if (!clock)
    return std::move(clock.error());
  out.clock = *clock;
  return out;
}

caf::expected<stores> open_stores(const depositd_settings& settings,
                                  const std::function<bool()>& stopped) {
  switch (settings.store.kind) {
    case store_kind::embedded:
      return open_embedded(settings, stopped);
    case store_kind::memory:
      return open_memory(settings, stopped);
    case store_kind::postgres: {
      auto out = open_postgres(settings, stopped);
      if (!out)
        return naming_url(out.error());
      return out;
    }
  }
  return caf::make_error(ec::bad_setting, std::string{"store.kind"});
}

caf::error agree_on_brokers(const depositd_settings& settings) {
  auto claim = compared_facts_of(settings);
  if (!claim)
    return std::move(claim.error());
  claim->renew = false; // the start has seen to that
  switch (settings.store.kind) {
    case store_kind::embedded:
      return agree_in_file(system_disk(), settings.data.folder / "store.facts",
                           std::move(*claim));
    case store_kind::postgres:
      return check_postgres_shard_count({.url = settings.store.url},
                                        settings.shards.count, *claim);
    case store_kind::memory:
      break;
  }
  return {};
}

} // namespace depositd
