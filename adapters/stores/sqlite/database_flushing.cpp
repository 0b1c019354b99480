// What makes commits durable: flushes of the log, and bringing it home.

#include "adapters/stores/sqlite/database.hpp"

#include <algorithm>
#include <array>

namespace depositd::sqlite {

namespace {

/// Pages given back to the file system between two transactions at most.
constexpr std::uint64_t returned_pages_max = 2048;

} // namespace

/// Its first flush also flushes its name, and changes the file's flags: that is
/// not for a thread beside the one that writes.
caf::error database::find_log() {
  const auto code =
    sqlite3_file_control(handle_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log_);
  if (code != SQLITE_OK)
    return failure(file_, code, sqlite3_errmsg(handle_));
  if (log_ == nullptr || log_->pMethods == nullptr)
    return damaged("has no log that could be flushed");
  fill_log();
  return flush_log();
}

/// SQLite takes zeros behind what it wrote for the end, as it does what is left
/// of an earlier round. Without room for all of them there are none.
void database::fill_log() {
  static constexpr std::array<char, 64 * 1024> zeros{};
  sqlite3_int64 before = 0;
  if (log_->pMethods->xFileSize(log_, &before) != SQLITE_OK)
    return;
  const auto wanted = static_cast<sqlite3_int64>(kind_.log_bytes);
  for (auto size = before; size < wanted;) {
    const auto some = std::min<sqlite3_int64>(wanted - size, zeros.size());
    if (log_->pMethods->xWrite(log_, zeros.data(), static_cast<int>(some), size)
        != SQLITE_OK) {
      log_->pMethods->xTruncate(log_, before);
      return;
    }
    size += some;
  }
}

caf::error database::begin_writing(const file_kind& kind) {
  if (kind.pages_max > 0)
    if (auto error = run_script("PRAGMA max_page_count = "
                                + std::to_string(kind.pages_max)))
      return error;
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
  return find_log();
}

caf::error database::unsure(const std::string& why) const {
  return caf::make_error(ec::store_failed, file_ + ": " + why);
}

caf::error database::closed() const {
  return unsure("it is closed, since it could not be flushed");
}

caf::error database::checkpoint_if_due(std::uint64_t wal_bytes) {
  if (static_cast<std::uint64_t>(wal_frames_) * page_bytes_ < wal_bytes)
    return {};
  const auto pages = pragma("PRAGMA page_count");
  if (!pages)
    return pages.error();
  const auto unused = pragma("PRAGMA freelist_count");
  if (!unused)
    return unused.error();
  // What a backlog needed is given back bit by bit once it is gone.
  if (*unused > returned_pages_max && *unused > *pages / 4)
    if (auto error = run_script("PRAGMA incremental_vacuum("
                                + std::to_string(returned_pages_max) + ")"))
      return error;
  return flush();
}

/// SQLite flushes the log before it brings it home, and the file after.
caf::error database::flush() {
  if (handle_ == nullptr)
    return closed();
  const auto code = sqlite3_wal_checkpoint_v2(
    handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (code != SQLITE_OK)
    return failure(file_, code, sqlite3_errmsg(handle_));
  wal_frames_ = 0;
  return {};
}

caf::error database::read_anew() {
  if (file_ == in_memory)
    return {};
  if (handle_ != nullptr)
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  close();
  auto failed = bring_home();
  if (failed)
    close(); // nothing is added to what may not be there
  return failed;
}

caf::error database::bring_home() {
  if (auto error = connect(SQLITE_OPEN_READWRITE))
    return error;
  if (auto error = configure(kind_))
    return error;
  if (auto error = identify(kind_))
    return error;
  int frames = 0;
  auto code = sqlite3_wal_checkpoint_v2(
    handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, &frames, nullptr);
  if (code == SQLITE_OK && frames < wal_frames_)
    return unsure("commits are lost: its log has " + std::to_string(frames)
                  + " pages of " + std::to_string(wal_frames_));
  if (code == SQLITE_OK)
    code = sqlite3_wal_checkpoint_v2(
      handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if (code != SQLITE_OK)
    return failure(file_, code, sqlite3_errmsg(handle_));
  wal_frames_ = 0;
  return begin_writing(kind_);
}

caf::error database::flush_log() {
  if (handle_ == nullptr)
    return closed();
  if (log_ == nullptr)
    return {}; // in memory
  const auto code =
    log_->pMethods->xSync(log_, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
  return code == SQLITE_OK ? caf::error{}
                           : failure(file_, code, "its log is not flushed");
}

} // namespace depositd::sqlite
