#include "adapters/stores/sqlite/sqlite_inventory.hpp"

#include "adapters/stores/rows/table_inventory.hpp"
#include "adapters/stores/sqlite/database.hpp"

#include <array>
#include <mutex>

namespace depositd {

namespace {

constexpr std::int32_t application = 0x64706976; // "dpiv"
constexpr std::int32_t schema_version = 4;
constexpr std::uint64_t wal_bytes_max = 8 * 1024 * 1024;

constexpr std::string_view schema = R"(
CREATE TABLE inventory_objects (
  identifier TEXT PRIMARY KEY, collection TEXT NOT NULL, owner TEXT NOT NULL,
  storage TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE INDEX inventory_objects_by_owner ON inventory_objects (owner);
CREATE INDEX inventory_objects_by_collection ON inventory_objects (collection);
CREATE TABLE inventory_versions (
  identifier TEXT NOT NULL, number INTEGER NOT NULL, job TEXT NOT NULL UNIQUE,
  batch TEXT NOT NULL, "user" TEXT NOT NULL, title TEXT NOT NULL,
  creator TEXT NOT NULL, "date" TEXT NOT NULL, bytes INTEGER NOT NULL,
  files INTEGER NOT NULL, recorded_us INTEGER NOT NULL,
  checksum INTEGER NOT NULL, title_key TEXT NOT NULL,
  PRIMARY KEY (identifier, number)) STRICT;
CREATE TABLE inventory_files (
  identifier TEXT NOT NULL, version INTEGER NOT NULL, place INTEGER NOT NULL,
  path TEXT NOT NULL, bytes INTEGER NOT NULL, sha512 TEXT NOT NULL,
  checksum INTEGER NOT NULL, path_key TEXT NOT NULL,
  PRIMARY KEY (identifier, version, place)) STRICT, WITHOUT ROWID;
CREATE TABLE inventory_local_ids (
  id INTEGER PRIMARY KEY, owner TEXT NOT NULL, local_id TEXT NOT NULL,
  identifier TEXT NOT NULL, UNIQUE (owner, local_id)) STRICT;
CREATE INDEX inventory_local_ids_by_id ON inventory_local_ids (local_id);
CREATE INDEX inventory_local_ids_by_object ON inventory_local_ids (identifier);
CREATE TABLE inventory_locks (
  name TEXT PRIMARY KEY, holder TEXT NOT NULL, token INTEGER NOT NULL,
  until_us INTEGER NOT NULL) STRICT;
CREATE INDEX inventory_locks_by_holder ON inventory_locks (holder);
)";

constexpr std::string_view add_events = R"(
CREATE TABLE premis_events (
  id TEXT PRIMARY KEY, type TEXT NOT NULL, at_us INTEGER NOT NULL,
  detail TEXT NOT NULL, outcome TEXT NOT NULL, outcome_detail TEXT NOT NULL,
  object TEXT NOT NULL, file TEXT NOT NULL, agent TEXT NOT NULL,
  owner TEXT NOT NULL, job TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE INDEX premis_events_by_object ON premis_events (object, at_us, id);
CREATE INDEX premis_events_by_file ON premis_events (object, file, at_us, id);
)";

constexpr std::string_view add_checks = R"(
CREATE TABLE fixity_files (
  identifier TEXT NOT NULL, path TEXT NOT NULL, sha512 TEXT NOT NULL,
  checked_us INTEGER NOT NULL,
  PRIMARY KEY (identifier, path)) STRICT, WITHOUT ROWID;
CREATE INDEX fixity_files_by_time
  ON fixity_files (checked_us, identifier, path);
CREATE TABLE fixity_objects (
  identifier TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
)";

constexpr std::string_view add_copies = R"(
CREATE TABLE inventory_copies (
  identifier TEXT NOT NULL, version INTEGER NOT NULL, target TEXT NOT NULL,
  PRIMARY KEY (identifier, version, target)) STRICT, WITHOUT ROWID;
)";

constexpr std::array upgrades = {add_events, add_checks, add_copies};

/// One file, for one at a time.
class shared_file {
public:
  explicit shared_file(std::unique_ptr<sqlite::database> file)
    : file_(std::move(file)), tables_(*file_) {
    // nop
  }

  template <class Body>
  auto read(const Body& body) {
    const std::lock_guard turn{mutex_};
    return body(tables_);
  }

  template <class Body>
  caf::error write(const Body& body) {
    const std::lock_guard turn{mutex_};
    if (auto error = file_->checkpoint_if_due(wal_bytes_max))
      return error;
    return file_->transact([&] { return body(tables_); });
  }

  template <class Body>
  auto read_locks(const Body& body) {
    return read([&](auto& from) { return body(from.locks); });
  }

  template <class Body>
  caf::error write_locks(const Body& body) {
    return write([&](auto& to) { return body(to.locks); });
  }

  caf::error copy_to(const std::filesystem::path& file) {
    const std::lock_guard turn{mutex_};
    return file_->copy_to(file);
  }

private:
  std::mutex mutex_;
  std::unique_ptr<sqlite::database> file_;
  rows::inventory_tables<sqlite::database> tables_;
};

class sqlite_inventory final : public rows::table_inventory<shared_file> {
public:
  using table_inventory::table_inventory;

  caf::error backup(const std::filesystem::path& folder) override {
    return store().copy_to(folder / "inventory.db");
  }
};

} // namespace

caf::expected<std::unique_ptr<inventory>>
open_sqlite_inventory(const std::filesystem::path& file) {
  auto opened = sqlite::database::open(file, {.name = "inventory",
                                              .application = application,
                                              .version = schema_version,
                                              .schema = schema,
                                              .upgrades = upgrades});
  if (!opened)
    return std::move(opened.error());
  return std::make_unique<sqlite_inventory>(std::move(*opened));
}

} // namespace depositd
