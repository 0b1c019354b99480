#include "adapters/stores/sqlite/registry_transactions.hpp"

#include "adapters/stores/sqlite/sqlite_doi_registry.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace depositd::sqlite {

namespace {

constexpr std::uint64_t wal_bytes_max = 8 * 1024 * 1024;
constexpr std::uint64_t open_bytes_max = 3 * 1024 * 1024;
static_assert(wal_bytes_max + open_bytes_max < registry_log_bytes);

/// Pages that a record changes: its own, those of four indexes, and one for
/// what splits now and then.
constexpr std::uint64_t record_bytes = 6 * 4096;

/// What they are in the log, at most.
std::uint64_t bytes_of(const registry_transactions::group& all) {
  std::uint64_t out = 0;
  for (const auto* x : all) {
    out += record_bytes;
    for (const auto& record : x->records)
      rows::with_values(record, [&](const auto&... texts) {
        out += record_bytes + (texts.size() + ...);
      });
  }
  return out;
}

} // namespace

registry_transactions::~registry_transactions() {
  std::ignore = flush(); // as a crash would leave it, if it fails
}

caf::expected<registry_transactions::results>
registry_transactions::record(const group& all) {
  const auto bytes = bytes_of(all);
  if (open_bytes_ + bytes > open_bytes_max)
    if (auto error = commit())
      return error;
  if (bytes > open_bytes_max)
    return record_at_once(all);
  if (auto error = begin())
    return error;
  auto done = rows::record_all(tables_, all);
  if (!done) {
    take_back();
    return done;
  }
  for (const auto* x : all)
    open_.push_back(*x);
  open_bytes_ += bytes;
  has_open_ = true;
  return done;
}

caf::expected<registry_transactions::results>
registry_transactions::record_at_once(const group& all) {
  if (auto error = make_room())
    return error;
  auto done = file_.transacted([&] { return rows::record_all(tables_, all); });
  if (done)
    ++committed_;
  return done;
}

/// A log in doubt is not brought home without a look at its checksums.
caf::error registry_transactions::make_room() {
  return in_doubt_ ? caf::error{} : file_.checkpoint_if_due(wal_bytes_max);
}

/// Nothing was recorded behind what was taken back: it gets the same results.
caf::error registry_transactions::begin() {
  if (is_begun_)
    return {};
  if (auto error = make_room())
    return error;
  if (auto error = file_.begin())
    return error;
  is_begun_ = true;
  for (const auto& x : open_)
    if (auto again = rows::record(tables_, x); !again) {
      take_back();
      return std::move(again.error());
    }
  return {};
}

void registry_transactions::take_back() {
  file_.roll_back();
  is_begun_ = false;
}

caf::error registry_transactions::commit() {
  if (open_.empty())
    return {};
  if (auto error = begin())
    return error;
  if (auto error = file_.commit()) {
    take_back();
    return error;
  }
  is_begun_ = false;
  ++committed_;
  open_.clear();
  open_bytes_ = 0;
  has_open_ = false;
  return {};
}

caf::error registry_transactions::flush() {
  if (!has_open_ && flushed_ == committed_)
    return {};
  const std::lock_guard turn{flushing_};
  if (has_open_) {
    const std::lock_guard recording{turn_};
    if (auto error = commit())
      return error;
  }
  return flush_committed();
}

/// Nobody who records waits for the disk here, unless it has failed before.
caf::error registry_transactions::flush_committed() {
  std::uint64_t until = committed_;
  caf::error failed;
  if (in_doubt_) {
    const std::lock_guard all{turn_};
    failed = commit();
    if (!failed) {
      until = committed_;
      failed = file_.read_anew();
    }
  } else {
    failed = file_.flush_log();
  }
  in_doubt_ = static_cast<bool>(failed);
  if (!failed)
    flushed_ = until;
  return failed;
}

item_id registry_transactions::submission_max(item_id last) const {
  item_id out = 0;
  for (const auto& x : open_)
    if (x.submission <= last)
      out = std::max(out, x.submission);
  return out;
}

} // namespace depositd::sqlite
