#include "config/stores.hpp"

#include "adapters/stores/blobs/folder_blobs.hpp"
#include "adapters/stores/files/file.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "adapters/stores/memory/memory_journal_store.hpp"
#include "adapters/stores/postgres/postgres_blobs.hpp"
#include "adapters/stores/postgres/postgres_doi_registry.hpp"
#include "adapters/stores/postgres/postgres_journal_store.hpp"
#include "adapters/stores/postgres/postgres_projection_store.hpp"
#include "adapters/stores/postgres/postgres_shard_leases.hpp"
#include "adapters/stores/segments/segments.hpp"
#include "adapters/stores/sqlite/sqlite_doi_registry.hpp"
#include "adapters/stores/sqlite/sqlite_projection_store.hpp"
#include "config/record_logs.hpp"

#include <system_error>

namespace depositd {

namespace {

/// Projection and registry.
caf::error open_tables(const std::filesystem::path& projection,
                       const std::filesystem::path& registry, stores& out) {
  if (auto opened = open_sqlite_projection(projection))
    out.projection = std::move(*opened);
  else
    return opened.error();
  if (auto opened = open_sqlite_registry(registry))
    out.registry = std::move(*opened);
  else
    return opened.error();
  return {};
}

caf::expected<stores> open_embedded(const depositd_settings& settings) {
  const auto& folder = settings.data.folder;
  if (auto failed = make_folders(system_disk(), folder))
    return caf::make_error(ec::store_failed, "data.folder: " + render(failed));
  stores out;
  // The journal first: its lock says whether the folder is in use.
  segments_options options;
  options.folder = folder / "journal";
  options.segment_bytes = std::uint64_t{settings.store.segment_mb} << 20;
  if (auto journal = open_segments(options))
    out.journal = std::move(*journal);
  else
    return journal.error();
  if (auto wrong = agree_in_file(system_disk(), folder / "store.facts",
                                 facts_of(settings)))
    return wrong;
  if (auto blobs = open_folder_blobs({folder / "blobs"}))
    out.blobs = std::move(*blobs);
  else
    return blobs.error();
  if (auto wrong =
        open_tables(folder / "projection.db", folder / "registry.db", out))
    return wrong;
  return out;
}

/// Blobs and registry.
caf::error open_effects(const depositd_settings& settings, stores& out) {
  const postgres_options server{.url = settings.store.url};
  if (auto blobs = open_postgres_blobs(server))
    out.blobs = std::move(*blobs);
  else
    return blobs.error();
  if (auto registry = open_postgres_registry(server))
    out.registry = std::move(*registry);
  else
    return registry.error();
  return {};
}

caf::expected<stores> open_postgres(const depositd_settings& settings) {
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
  if (auto wrong = open_effects(settings, out))
    return wrong;
  return out;
}

caf::expected<stores> open_memory() {
  stores out;
  out.journal = open_memory_journal(make_memory_journal());
  out.blobs = make_memory_blobs();
  if (auto wrong = open_tables(":memory:", ":memory:", out))
    return wrong;
  return out;
}

} // namespace

caf::expected<stores> open_shared_stores(const depositd_settings& settings) {
  stores out;
  if (auto wrong = open_effects(settings, out))
    return wrong;
  return out;
}

caf::expected<shard_stores> open_shard_stores(const depositd_settings& settings,
                                              shard_number shard,
                                              epoch_number epoch) {
  const postgres_options server{.url = settings.store.url, .shard = shard};
  shard_stores out;
  if (auto journal = open_postgres_journal(
        {.server = server,
         .segment_bytes = std::uint64_t{settings.store.segment_mb} << 20,
         .epoch = epoch}))
    out.journal = std::move(*journal);
  else
    return journal.error();
  if (auto projection = open_postgres_projection(
        {.server = server, .epoch = out.journal->epoch()}))
    out.projection = std::move(*projection);
  else
    return projection.error();
  return out;
}

caf::expected<stores> open_stores(const depositd_settings& settings) {
  switch (settings.store.kind) {
    case store_kind::embedded:
      return open_embedded(settings);
    case store_kind::memory:
      return open_memory();
    case store_kind::postgres:
      return open_postgres(settings);
  }
  return caf::make_error(ec::bad_setting, std::string{"store.kind"});
}

} // namespace depositd
