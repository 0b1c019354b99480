#include "adapters/stores/sqlite/database.hpp"

#include "adapters/stores/files/file.hpp"

#include <cassert>
#include <fcntl.h>

#include <system_error>
#include <tuple>
#include <utility>

namespace depositd::sqlite {

namespace {

std::int32_t upgrades_of(const file_kind& kind) {
  return static_cast<std::int32_t>(kind.upgrades.size());
}

caf::error refused(const std::string& file, const std::string& why) {
  return caf::make_error(ec::store_failed, file + ": " + why);
}

/// Flushes the name of a new or renamed file.
caf::error flush_name_of(const std::filesystem::path& path) {
  const auto parent = path.parent_path();
  return sync_folder(system_disk(),
                     parent.empty() ? std::filesystem::path(".") : parent);
}

/// An empty file that only its owner may read, as its log will be then: there
/// are hashes of passwords in it.
caf::error make_private(const std::filesystem::path& path) {
  auto file = open_file(path, O_RDWR | O_CREAT | O_EXCL);
  if (!file)
    return std::move(file.error());
  return {};
}

std::filesystem::path with_suffix(std::filesystem::path path,
                                  const char* suffix) {
  path += suffix;
  return path;
}

void remove_with_log(const std::filesystem::path& path) {
  std::error_code ignored;
  for (const auto* suffix : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(with_suffix(path, suffix), ignored);
}

} // namespace

database::database(const std::filesystem::path& path) : file_(path.string()) {
  // nop
}

database::~database() {
  close();
}

void database::close() {
  statements_.clear();
  log_ = nullptr;
  sqlite3_close(std::exchange(handle_, nullptr));
}

caf::error database::damaged(const std::string& what) const {
  return caf::make_error(ec::store_damaged, file_ + ": " + what);
}

caf::error database::connect(int flags) {
  const auto code = sqlite3_open_v2(file_.c_str(), &handle_,
                                    flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK)
    return failure(file_, code, sqlite3_errmsg(handle_));
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // A quoted name of a column that is not there must not pass for a text.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  // Until the file is known to be ours, closing it must not touch it.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return {};
}

caf::error database::run_script(std::string_view sql) {
  const std::string text{sql};
  const auto code =
    sqlite3_exec(handle_, text.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK)
    return failure(file_, code, sqlite3_errmsg(handle_));
  return {};
}

caf::expected<std::uint64_t> database::pragma(std::string_view sql) {
  auto query = prepare(sql);
  if (!query)
    return std::move(query.error());
  const auto row = query->next();
  if (!row)
    return row.error();
  return *row ? query->number(0) : 0;
}

caf::error database::configure(const file_kind& kind) {
  // Debian compiles SQLite with secure_delete, which writes every page that a
  // deleted row leaves. The log is brought home by hand, see the header.
  if (auto error = run_script("PRAGMA locking_mode = EXCLUSIVE;"
                              "PRAGMA synchronous = "
                              + std::string{kind.flushes ? "FULL" : "NORMAL"}
                              + ";PRAGMA secure_delete = OFF;"
                              "PRAGMA temp_store = MEMORY;"
                              "PRAGMA cell_size_check = ON;"
                              "PRAGMA journal_size_limit = 67108864;"
                              "PRAGMA cache_size = -"
                              + std::to_string(kind.cache_kib)))
    return error;
  sqlite3_wal_hook(
    handle_,
    [](void* self, sqlite3*, const char*, int frames) {
      static_cast<database*>(self)->wal_frames_ = frames;
      return SQLITE_OK;
    },
    this);
  return {};
}

caf::error database::identify(const file_kind& kind) {
  const auto application = pragma("PRAGMA application_id");
  if (!application)
    return application.error();
  if (static_cast<std::int32_t>(*application) != kind.application)
    return damaged(std::string{"not a "} + kind.name + " of depositd");
  const auto version = pragma("PRAGMA user_version");
  if (!version)
    return version.error();
  const auto found = static_cast<std::int32_t>(*version);
  if (found > kind.version)
    return refused(file_, "has schema version " + std::to_string(*version)
                            + " of a later depositd, this program knows "
                            + std::to_string(kind.version)
                            + ": there is no way back, start the later one");
  if (found < kind.version - upgrades_of(kind))
    return refused(file_, "has schema version " + std::to_string(*version)
                            + ", this program needs "
                            + std::to_string(kind.version));
  if (sqlite3_db_readonly(handle_, "main") != 0)
    return refused(file_, "is read-only");
  auto mode = prepare("PRAGMA journal_mode");
  if (!mode)
    return std::move(mode.error());
  const auto row = mode->next();
  if (!row)
    return row.error();
  if (!*row || mode->text(0) != "wal")
    return damaged("its header names another journal mode");
  return {};
}

caf::error database::upgrade(const file_kind& kind) {
  const auto version = pragma("PRAGMA user_version");
  if (!version)
    return version.error();
  const auto missing = kind.version - static_cast<std::int32_t>(*version);
  if (missing == 0)
    return {};
  return transact([&] {
    for (const auto step :
         kind.upgrades.last(static_cast<std::size_t>(missing)))
      if (auto error = run_script(step))
        return error;
    return run_script("PRAGMA user_version = " + std::to_string(kind.version));
  });
}

caf::error database::read_through() {
  auto check = prepare("PRAGMA integrity_check(1)");
  if (!check)
    return std::move(check.error());
  const auto row = check->next();
  if (!row)
    return row.error();
  if (!*row || check->text(0) != "ok")
    return damaged(std::string{check->text(0)});
  return {};
}

/// Makes the schema in a file that is empty.
caf::error database::fill(const file_kind& kind) {
  auto script = "PRAGMA page_size = " + std::to_string(kind.page_bytes)
                + "; PRAGMA auto_vacuum = INCREMENTAL;"
                  "PRAGMA journal_mode = WAL; BEGIN;";
  script += kind.schema;
  for (const auto step : kind.upgrades) {
    script += "; ";
    script += step;
  }
  script += "; PRAGMA application_id = " + std::to_string(kind.application)
            + "; PRAGMA user_version = " + std::to_string(kind.version)
            + "; COMMIT; PRAGMA synchronous = FULL;";
  return run_script(script);
}

caf::error database::create(const std::filesystem::path& path,
                            const file_kind& kind) {
  // Made under another name, so that a crash in between leaves no half-made
  // file that would later have to be told apart from a damaged one.
  const auto draft = with_suffix(path, ".new");
  remove_with_log(draft);
  if (auto error = make_private(draft))
    return error;
  {
    database file{draft};
    if (auto error = file.connect(SQLITE_OPEN_READWRITE))
      return error;
    if (auto error = file.fill(kind))
      return error;
    const auto code = sqlite3_wal_checkpoint_v2(
      file.handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    if (code != SQLITE_OK)
      return failure(file.file_, code, sqlite3_errmsg(file.handle_));
  }
  std::error_code failed;
  std::filesystem::rename(draft, path, failed);
  if (failed)
    return refused(path.string(), failed.message());
  remove_with_log(draft);
  return flush_name_of(path);
}

caf::expected<std::unique_ptr<database>>
database::open(const std::filesystem::path& path, const file_kind& kind) {
  std::unique_ptr<database> out{new database(path)};
  out->kind_ = kind;
  if (path == in_memory) {
    auto error = out->connect(SQLITE_OPEN_READWRITE);
    if (!error)
      error = out->configure(kind);
    if (!error)
      error = out->fill(kind);
    if (error)
      return error;
    return out;
  }
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    if (failed)
      return refused(out->file_, failed.message());
    if (std::filesystem::exists(with_suffix(path, "-wal"), failed))
      return out->damaged("is gone, but its log is there");
    if (auto error = create(path, kind))
      return error;
  }
  const auto bytes = std::filesystem::file_size(path, failed);
  if (failed)
    return refused(out->file_, failed.message());
  if (bytes == 0)
    return out->damaged("is empty");
  if (auto error = out->connect(SQLITE_OPEN_READWRITE))
    return error;
  if (auto error = out->configure(kind))
    return error;
  if (auto error = out->identify(kind))
    return error;
  const auto page_bytes = out->pragma("PRAGMA page_size");
  if (!page_bytes)
    return page_bytes.error();
  out->page_bytes_ = static_cast<std::uint32_t>(*page_bytes);
  if (bytes <= kind.checked_bytes_max)
    if (auto error = out->read_through())
      return error;
  if (auto error = out->upgrade(kind))
    return error;
  if (auto error = out->begin_writing(kind))
    return error;
  return out;
}

caf::expected<statement> database::prepare(std::string_view sql) {
  if (handle_ == nullptr)
    return closed();
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    sqlite3_stmt* handle = nullptr;
    const auto code =
      sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    if (code != SQLITE_OK)
      return failure(file_, code, sqlite3_errmsg(handle_));
    found = statements_.emplace(sql, handle).first;
  }
  assert(sqlite3_stmt_busy(found->second.get()) == 0);
  return statement{file_, found->second.get()};
}

caf::error database::begin() {
  return run("BEGIN IMMEDIATE");
}

caf::error database::commit() {
  return run("COMMIT");
}

void database::roll_back() {
  if (sqlite3_get_autocommit(handle_) == 0)
    std::ignore = run_script("ROLLBACK"); // fails only where there is none
}

caf::error database::transact(const std::function<caf::error()>& body) {
  if (auto error = begin())
    return error;
  auto error = body();
  if (!error)
    error = commit();
  if (error)
    roll_back();
  return error;
}

caf::error database::copy_to(const std::filesystem::path& path) {
  if (file_ == in_memory)
    return refused(file_, "what is in memory has no backup");
  if (handle_ == nullptr)
    return closed();
  if (std::filesystem::exists(path))
    return caf::make_error(ec::already_exists,
                           path.string() + ": exists already");
  if (auto error = make_private(path))
    return error;
  database copy{path};
  if (auto error = copy.connect(SQLITE_OPEN_READWRITE))
    return error;
  auto* job = sqlite3_backup_init(copy.handle_, "main", handle_, "main");
  auto code = job == nullptr ? sqlite3_extended_errcode(copy.handle_)
                             : sqlite3_backup_step(job, -1);
  if (job != nullptr) {
    const auto finished = sqlite3_backup_finish(job);
    if (code == SQLITE_DONE)
      code = finished;
  }
  if (code == SQLITE_OK)
    return flush_name_of(path);
  auto error = failure(copy.file_, code, sqlite3_errmsg(copy.handle_));
  remove_with_log(path);
  return error;
}

} // namespace depositd::sqlite
