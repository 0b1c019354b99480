#include "adapters/stores/sqlite/sqlite_inventory.hpp"

#include "adapters/stores/rows/catalogue.hpp"
#include "adapters/stores/rows/fixity_table.hpp"
#include "adapters/stores/rows/lock_table.hpp"
#include "adapters/stores/rows/premis_table.hpp"
#include "adapters/stores/sqlite/database.hpp"
#include "messages/ports/lock_book.hpp"

#include <array>
#include <mutex>

namespace depositd {

namespace {

constexpr std::int32_t application = 0x64706976; // "dpiv"
constexpr std::int32_t schema_version = 3;
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

constexpr std::array upgrades = {add_events, add_checks};

class sqlite_inventory final : public inventory,
                               public fixity_book,
                               public lock_book {
public:
  explicit sqlite_inventory(std::unique_ptr<sqlite::database> file)
    : file_(std::move(file)), tables_(*file_), events_(*file_), checks_(*file_),
      locks_(*file_) {
    // nop
  }

  caf::error record(const inventory_entry& x) override {
    return write([&] { return tables_.record(x); });
  }

  caf::expected<std::vector<inventory_object>>
  find(const inventory_search& x) override {
    const std::lock_guard turn{mutex_};
    return tables_.find(x);
  }

  caf::expected<std::vector<stored_file>>
  files(const std::string& identifier, std::uint32_t version) override {
    const std::lock_guard turn{mutex_};
    return tables_.files(identifier, version);
  }

  caf::expected<std::optional<std::string>>
  of_local_id(const std::string& owner, const std::string& local_id) override {
    const std::lock_guard turn{mutex_};
    return tables_.of_local_id(owner, local_id);
  }

  caf::error bind_local_id(const std::string& owner,
                           const std::string& local_id,
                           const std::string& identifier) override {
    return write([&] { return tables_.bind(owner, local_id, identifier); });
  }

  caf::expected<std::vector<collection_use>>
  use_of_collections(micros since_us) override {
    const std::lock_guard turn{mutex_};
    return tables_.use(since_us);
  }

  caf::expected<std::vector<recorded_use>>
  recorded_in(const recorded_query& what) override {
    const std::lock_guard turn{mutex_};
    return tables_.recorded(what);
  }

  caf::error record_events(const std::vector<premis_event>& x) override {
    return write([&] { return events_.record(x); });
  }

  caf::expected<std::vector<premis_event>>
  events(const premis_query& x) override {
    const std::lock_guard turn{mutex_};
    return events_.find(x);
  }

  fixity_book* checks() override {
    return this;
  }

  caf::expected<std::vector<checked_file>> due(const fixity_query& x) override {
    std::vector<checked_file> out;
    auto failed = write([&] {
      auto found = checks_.due(x);
      if (!found)
        return std::move(found.error());
      out = std::move(*found);
      return caf::error{};
    });
    if (failed)
      return failed;
    return out;
  }

  caf::expected<std::optional<checked_file>>
  last_check(const std::string& object, const std::string& path) override {
    auto known = find_check(object, path);
    if (!known || *known)
      return known;
    if (auto failed = write([&] { return checks_.enrol_new(object); }))
      return failed;
    return find_check(object, path);
  }

  caf::error checked(const std::string& object, const std::string& path,
                     const premis_event& x) override {
    return write([&] { return checks_.checked(object, path, x); });
  }

  caf::expected<std::vector<spot_candidate>>
  spot_candidates(micros not_since_us, const std::vector<std::string>& cold,
                  std::uint32_t count_max) override {
    const std::lock_guard turn{mutex_};
    return checks_.spot_candidates(not_since_us, cold, count_max);
  }

  caf::error forget(const std::string& object,
                    const std::vector<premis_event>& events) override {
    return write([&] { return checks_.forget(object, events); });
  }

  caf::error backup(const std::filesystem::path& folder) override {
    const std::lock_guard turn{mutex_};
    return file_->copy_to(folder / "inventory.db");
  }

  caf::expected<bool> lock(const object_lock& x, micros now) override {
    auto taken = false;
    auto failed = write([&] {
      const auto done = locks_.lock(x, now);
      taken = done && *done;
      return done ? caf::error{} : done.error();
    });
    if (failed)
      return failed;
    return taken;
  }

  caf::expected<bool> holds(const object_lock& x, micros now) override {
    const std::lock_guard turn{mutex_};
    return locks_.holds(x, now);
  }

  caf::error unlock_all(const std::string& holder,
                        std::uint64_t token) override {
    return write([&] { return locks_.unlock_all(holder, token); });
  }

  caf::expected<std::uint64_t>
  newest_token(const std::string& holder) override {
    const std::lock_guard turn{mutex_};
    return locks_.newest_token(holder);
  }

private:
  caf::expected<std::optional<checked_file>>
  find_check(const std::string& object, const std::string& path) {
    const std::lock_guard turn{mutex_};
    return checks_.last_check(object, path);
  }

  template <class Body>
  caf::error write(const Body& body) {
    const std::lock_guard turn{mutex_};
    if (auto error = file_->checkpoint_if_due(wal_bytes_max))
      return error;
    return file_->transact(body);
  }

  std::mutex mutex_;
  std::unique_ptr<sqlite::database> file_;
  rows::catalogue<sqlite::database> tables_;
  rows::premis_table<sqlite::database> events_;
  rows::fixity_table<sqlite::database> checks_;
  rows::lock_table<sqlite::database> locks_;
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
