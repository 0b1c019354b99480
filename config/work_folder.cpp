#include "config/work_folder.hpp"

#include "adapters/stores/files/work_marker.hpp"
#include "adapters/stores/postgres/postgres_shard_leases.hpp"
#include "messages/values/uuid.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

namespace depositd {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds marker_wait{5};
constexpr std::chrono::milliseconds marker_pause{100};

/// The store's id; ours if it had none.
caf::expected<std::string> agree_on_id(const depositd_settings& settings,
                                       const std::string& proposed) {
  switch (settings.store.kind) {
    case store_kind::postgres:
      return agree_on_postgres_work_id({.url = settings.store.url}, proposed);
    case store_kind::memory:
      return proposed;
    case store_kind::embedded:
      break;
  }
  return agree_on_work_id(system_disk(), settings.data.folder / "work.id",
                          proposed);
}

/// An engine that has its store to itself marks what has no marker: whoever
/// emptied the folder meant it. Of several engines only the first does, else
/// each would mark its own.
bool may_mark(const depositd_settings& settings, bool first) {
  return first || settings.shards.count == 1;
}

/// The first of several engines may be about to write it.
void await_marker(const fs::path& folder) {
  const auto until = std::chrono::steady_clock::now() + marker_wait;
  while (std::chrono::steady_clock::now() < until) {
    const auto marker = read_work_marker(folder);
    if (!marker || *marker)
      return;
    // Other machines' file systems tell nobody.
    std::this_thread::sleep_for(marker_pause);
  }
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
  const auto fresh = random_uuid();
  auto known = agree_on_id(settings, fresh);
  if (!known)
    return std::move(known.error());
  work_folder_state out{std::move(*known), {}};
  const auto is_first = out.id == fresh;
  auto marker = read_work_marker(folder);
  // What is kept in memory is no more when the next engine starts.
  const bool may_replace = settings.store.kind == store_kind::memory;
  if (marker && (!*marker || may_replace) && may_mark(settings, is_first))
    out.wrong = write_work_marker(system_disk(), folder, out.id);
  else if (marker && !*marker)
    await_marker(folder);
  if (!out.wrong)
    out.wrong = prove_work_folder(folder, out.id);
  return out;
}

struct work_folder_proof::state {
  fs::path folder;
  mutable std::mutex mutex;
  std::string expected; ///< empty: nobody has said
  std::string proven;
  std::string said; ///< what was logged last
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
  if (!wrong)
    spdlog::info("work_folder_proven folder={}", x.folder.string());
  else if (std::exchange(x.said, text) != text)
    spdlog::log(x.missed, "work_folder_not_shared folder={} reason=\"{}\"",
                x.folder.string(), text);
}

} // namespace depositd
