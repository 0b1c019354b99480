#include "config/work_folder.hpp"

#include "adapters/stores/files/mounts.hpp"
#include "adapters/stores/files/work_marker.hpp"
#include "adapters/stores/postgres/postgres_shard_leases.hpp"
#include "config/kept_work.hpp"
#include "messages/values/trouble.hpp"
#include "messages/values/uuid.hpp"

#include <spdlog/spdlog.h>

#include <functional>
#include <mutex>
#include <utility>

namespace depositd {

namespace {

namespace fs = std::filesystem;

using marking = std::function<caf::error(const std::string& id)>;

/// The store's id; ours if it had none, after `mark` if there are others.
caf::expected<std::string> agree_on_id(const depositd_settings& settings,
                                       const std::string& proposed,
                                       const marking& mark) {
  switch (settings.store.kind) {
    case store_kind::postgres:
      return agree_on_postgres_work_id({.url = settings.store.url}, proposed,
                                       mark);
    case store_kind::memory:
      return proposed;
    case store_kind::embedded:
      break;
  }
  return agree_on_work_id(system_disk(), settings.data.folder / "work.id",
                          proposed);
}

/// A marker that is there stays, for it may be another store's.
caf::error mark_if_new(const fs::path& folder, const std::string& id,
                       bool replaces) {
  const auto marker = read_work_marker(folder);
  if (!marker)
    return marker.error();
  if (*marker && !replaces)
    return {};
  return write_work_marker(system_disk(), folder, id);
}

/// An empty folder may be one whose disk is not mounted.
caf::error look_for_disk(const depositd_settings& settings,
                         const fs::path& folder) {
  if (settings.work.folder.empty())
    return {};
  const auto mounts =
    note_mounts(system_disk(), folder, mount_notes_of(settings) / "work");
  return mounts ? caf::error{} : mounts.error();
}

} // namespace

fs::path work_folder_of(const depositd_settings& settings) {
  const auto& given = settings.work.folder;
  return fs::absolute(given.empty() ? settings.data.folder / "work"
                                    : fs::path{given});
}

caf::expected<work_folder_state>
open_work_folder(const depositd_settings& settings) {
  const auto folder = work_folder_of(settings);
  // What is kept in memory is no more when the next engine starts.
  const bool replaces = settings.store.kind == store_kind::memory;
  work_folder_state out;
  const auto mark = [&](const std::string& id) {
    out.wrong = mark_if_new(folder, id, replaces);
    return out.wrong;
  };
  auto known = agree_on_id(settings, random_uuid(), mark);
  if (!known && out.wrong)
    return out;
  if (!known)
    return std::move(known.error());
  out.id = std::move(*known);
  // Who has the store alone and emptied the folder meant it. Of several
  // engines each would mark its own.
  if (settings.shards.count == 1
      || settings.store.kind == store_kind::embedded) {
    out.wrong = look_for_disk(settings, folder);
    if (!out.wrong)
      mark(out.id);
  }
  if (!out.wrong)
    out.wrong = prove_work_folder(folder, out.id);
  return out;
}

struct work_folder_proof::state {
  fs::path folder;
  mutable std::mutex mutex;
  std::string expected; ///< empty: nobody has said
  std::string proven;
  trouble so_far; ///< as the log was told
  spdlog::level::level_enum missed = spdlog::level::warn;
};

work_folder_proof::work_folder_proof(const depositd_settings& settings)
  : state_(std::make_unique<state>()) {
  state_->folder = work_folder_of(settings);
  if (settings.work.folder.empty())
    state_->missed = spdlog::level::info; // it need not have one
}

work_folder_proof::~work_folder_proof() = default;

bool work_folder_proof::holds() const {
  const std::lock_guard lock{state_->mutex};
  return !state_->expected.empty() && state_->expected == state_->proven;
}

void work_folder_proof::expect(const std::string& id) {
  const std::lock_guard lock{state_->mutex};
  state_->expected = id;
}

void work_folder_proof::look() {
  auto& x = *state_;
  std::unique_lock lock{x.mutex};
  const auto id = x.expected;
  lock.unlock();
  const auto wrong =
    id.empty()
      ? caf::make_error(ec::bad_setting, std::string{"the engine has none"})
      : prove_work_folder(x.folder, id);
  lock.lock();
  if (x.expected != id)
    return; // another engine by now, for which somebody else looks
  x.proven = wrong ? std::string{} : id;
  auto text = wrong ? render(wrong) : std::string{};
  if (!wrong) {
    x.so_far.is_over();
    spdlog::info("work_folder_proven folder={}", x.folder.string());
  } else if (x.so_far.is_new(text)) {
    spdlog::log(x.missed, "work_folder_not_shared folder={} reason=\"{}\"",
                x.folder.string(), text);
  }
}

} // namespace depositd
