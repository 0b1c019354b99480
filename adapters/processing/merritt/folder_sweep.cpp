#include "adapters/processing/merritt/folder_sweep.hpp"

#include "adapters/processing/merritt/working_folder.hpp"

#include <spdlog/spdlog.h>

#include <system_error>
#include <utility>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

/// A link to a folder is none.
bool is_folder_named(const fs::directory_entry& x, const char* prefix) {
  std::error_code failed;
  return x.path().filename().string().starts_with(prefix)
         && x.symlink_status(failed).type() == fs::file_type::directory;
}

caf::error cannot_look(const fs::path& at, const std::error_code& why) {
  return caf::make_error(ec::store_failed, "cannot look into " + at.string()
                                             + ": " + why.message());
}

/// Calls `use` with each folder of such a name until it says no or fails.
template <class Use>
caf::error each_folder(const fs::path& in, const char* prefix, Use use) {
  std::error_code failed;
  fs::directory_iterator at{in, failed};
  if (failed)
    return cannot_look(in, failed);
  for (; at != fs::directory_iterator{}; at.increment(failed)) {
    if (failed)
      return cannot_look(in, failed);
    if (is_folder_named(*at, prefix))
      if (auto stopped = use(at->path()))
        return stopped;
  }
  return failed ? cannot_look(in, failed) : caf::error{};
}

} // namespace

folder_sweep::folder_sweep(folder_sweep_options options)
  : options_(std::move(options)) {
  // nop
}

caf::expected<folders_swept> folder_sweep::run() {
  done_ = {};
  left_ = options_.folders_max;
  if (std::exchange(is_through_, true))
    seen_.clear();
  const auto look = [&](const fs::path& folder) -> caf::error {
    if (seen_.contains(folder.filename().string()))
      return {};
    if (left_ > 0)
      return sweep_batch(folder);
    is_through_ = false;
    return {};
  };
  if (auto failed = each_folder(options_.work, "bid-", look))
    return failed;
  // What is not there any more need not be remembered.
  if (is_through_)
    std::erase_if(batches_, [&](const auto& x) { return !seen_.contains(x); });
  return done_;
}

bool folder_sweep::run_and_log() {
  const auto done = run();
  if (!done)
    spdlog::warn("working_folders_not_swept reason=\"{}\"",
                 render(done.error()));
  else if (done->removed > 0 || done->unknown > 0)
    spdlog::info("working_folders_swept removed={} unknown={}", done->removed,
                 done->unknown);
  return static_cast<bool>(done);
}

caf::error folder_sweep::sweep_batch(const fs::path& folder) {
  --left_;
  const auto uuid = folder.filename().string();
  seen_.insert(uuid);
  batch_query ask;
  ask.uuid = uuid;
  ask.count_max = 1;
  const auto found = options_.reads->batches(ask);
  if (!found)
    return found.error();
  if (!found->empty()) {
    batches_.insert(uuid);
    return sweep_jobs(folder);
  }
  if (!options_.all_ours && !batches_.contains(uuid))
    ++done_.unknown;
  else if (is_unused(folder))
    remove(folder);
  return {};
}

/// One that nobody can look into keeps the others from nothing.
caf::error folder_sweep::sweep_jobs(const fs::path& folder) {
  caf::error unknown;
  auto failed = each_folder(folder, "jid-", [&](const auto& job) -> caf::error {
    if (left_ == 0)
      return {};
    --left_;
    const auto over = is_over(job.filename().string());
    if (!over)
      return unknown = over.error();
    if (*over && is_unused(job))
      remove(job);
    return {};
  });
  // One that another engine has just removed is as it should be.
  std::error_code gone;
  if (failed && !unknown && fs::exists(folder, gone))
    spdlog::warn("working_folder_stays path={} reason=\"{}\"", folder.string(),
                 render(failed));
  return unknown;
}

caf::expected<bool> folder_sweep::is_over(const std::string& job) {
  job_query ask;
  ask.uuid = job;
  ask.count_max = 1;
  const auto found = options_.reads->jobs(ask);
  if (!found)
    return found.error();
  if (found->empty())
    return true; // a folder is made for jobs that are durable
  const auto state = found->front().status.state;
  return state == job_state::deleted || state == job_state::completed;
}

bool folder_sweep::is_unused(const fs::path& folder) const {
  std::error_code failed;
  const auto changed = fs::last_write_time(folder, failed);
  return !failed
         && fs::file_time_type::clock::now() - changed >= options_.unused_min;
}

void folder_sweep::remove(const fs::path& folder) {
  std::error_code failed;
  fs::remove_all(folder, failed);
  if (failed)
    spdlog::warn("working_folder_stays path={} reason=\"{}\"", folder.string(),
                 failed.message());
  else
    ++done_.removed;
}

} // namespace depositd::merritt
