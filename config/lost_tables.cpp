#include "config/lost_tables.hpp"

#include "adapters/stores/files/shard_folders.hpp"
#include "adapters/stores/segments/inspection.hpp"
#include "adapters/stores/segments/manifest.hpp"
#include "config/kept_work.hpp"

#include <string>
#include <system_error>

namespace depositd {

namespace {

namespace fs = std::filesystem;

/// What cannot be read, whoever opens it says.
bool has_events(const fs::path& data) {
  const auto shards = shards_in_folder(data);
  if (!shards)
    return false;
  for (shard_number shard = 0; shard < *shards; ++shard) {
    const auto folder = *shards > 1 ? shard_folder(data, shard) : data;
    const auto seen =
      look_at_segments(folder / "journal", shard,
                       [](const stored_group&) { return caf::error{}; });
    if (seen && seen->last > 0)
      return true;
  }
  return false;
}

bool has_stored(const depositd_settings& settings) {
  for (const auto& [name, place] : settings.storage)
    if (place.kind == storage_kind::folder
        && has_objects(place.path.empty() ? own_objects_of(settings)
                                          : fs::path{place.path}))
      return true;
  return false;
}

caf::error lost(const fs::path& file, const char* knows_none) {
  return caf::make_error(
    ec::store_failed,
    file.string()
      + " is missing, and the journal shows that engines have worked here: a "
        "new one would know none of the "
      + knows_none
      + ". Put it back from a backup; if it is lost for good, take that of "
        "an engine which was started on an empty folder and stopped");
}

bool is_missing(const fs::path& file) {
  std::error_code code;
  return !fs::exists(file, code) && !code;
}

} // namespace

bool has_objects(const fs::path& root) {
  std::error_code code;
  for (fs::directory_iterator at{root, code}, end; !code && at != end;
       at.increment(code))
    if (at->is_directory(code) && at->path().filename() != "extensions")
      return true;
  return false;
}

caf::error check_tables_there(const depositd_settings& settings) {
  const auto& data = settings.data.folder;
  const auto registry = data / "registry.db";
  const auto inventory = data / "inventory.db";
  const bool no_registry = is_missing(registry);
  const bool no_inventory = is_missing(inventory) && has_stored(settings);
  if ((!no_registry && !no_inventory) || !has_events(data))
    return {};
  return no_registry ? lost(registry, "DOIs that were recorded")
                     : lost(inventory, "objects that are stored");
}

caf::error check_journals_there(const depositd_settings& settings) {
  const auto& data = settings.data.folder;
  const auto shards = shards_in_folder(data);
  if (!shards)
    return {}; // whoever opens them says so
  for (shard_number shard = 0; shard < *shards; ++shard) {
    const auto folder = *shards > 1 ? shard_folder(data, shard) : data;
    const auto journal = folder / "journal";
    // An engine that ends as it starts leaves a journal without tables, and
    // events only where it has begun all of its shards.
    if (is_missing(journal / segments::manifest_name)
        && (!is_missing(folder / "projection.db")
            || (*shards > 1 && has_events(data))))
      return caf::make_error(
        ec::store_failed,
        journal.string()
          + " holds no journal, and what is beside it shows that engines have "
            "worked here: with another one all that was acknowledged would be "
            "lost. Is its disk mounted? Else put the data folder back from a "
            "backup, all of it");
  }
  return {};
}

caf::error check_journal_end(journal_store& journal, projection_store& tables,
                             const std::string& where) {
  const auto last = journal.last();
  const auto reached = tables.reached();
  return reached <= last
           ? caf::error{}
           : caf::make_error(
             ec::store_failed,
             where + ": the journal ends at event " + std::to_string(last)
               + ", and its tables have reached event "
               + std::to_string(reached)
               + ": what was behind it is gone. Put all of it back from a "
                 "backup");
}

} // namespace depositd
