#pragma once

// Stages that write to a disk which others fill as well.

#include "adapters/processing/stages/stage_tools.hpp"
#include "messages/values/trouble.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

namespace depositd::stages {

/// A folder on such a disk. May be used from several threads.
class shared_disk {
public:
  /// `look` says why the disk has no room for so many bytes now; none: it has,
  /// or never could have.
  shared_disk(std::string name, std::function<caf::error(std::uint64_t)> look)
    : name_(std::move(name)), look_(std::move(look)) {
    // nop
  }

  /// After the work of an item that needs so many bytes went wrong. The log is
  /// told once.
  caf::error look(std::uint64_t bytes) {
    auto full = look_(bytes);
    const std::lock_guard guard{mutex_};
    if (full) {
      refused_ = std::max(refused_.value_or(0), bytes);
      if (auto reason = render(full); state_.is_new(reason))
        spdlog::error("no_room disk={} reason=\"{}\"", name_, reason);
    }
    return full;
  }

  /// After work went well. The log is told once there is room for all that was
  /// refused.
  void works() {
    const std::lock_guard guard{mutex_};
    if (!refused_ || look_(*refused_))
      return;
    refused_.reset();
    if (state_.is_over())
      spdlog::info("room_again disk={}", name_);
  }

private:
  const std::string name_; ///< for people: that of its settings
  const std::function<caf::error(std::uint64_t)> look_;
  std::mutex mutex_;                      ///< guards what follows
  std::optional<std::uint64_t> refused_; ///< bytes, the most; none: nothing was
  trouble state_;
};

struct disk_use {
  std::shared_ptr<shared_disk> what;
  /// How many bytes the item puts there; none: it needs another disk.
  std::function<std::optional<std::uint64_t>(const stage_task&)> bytes;
};

/// Does the work, but lets an item wait whose work fails while a disk that it
/// needs has no room for it: that costs no attempt, and its document stays as
/// it was. Nobody asks before the work: what a file system says of itself may
/// be wrong, and what others need less of may go on.
inline stage_handler while_room(std::vector<disk_use> all, stage_handler work) {
  if (all.empty())
    return work;
  return [all = std::move(all),
          work = std::move(work)](const stage_task& task) -> outcome {
    auto out = work(task);
    const bool went_wrong =
      out.says == verdict::retry || out.says == verdict::failed;
    for (const auto& x : all) {
      const auto bytes = x.bytes(task);
      if (bytes && out.says == verdict::done)
        x.what->works();
      else if (bytes && went_wrong)
        if (const auto full = x.what->look(*bytes))
          return ended(verdict::not_yet, render(full));
    }
    return out;
  };
}

} // namespace depositd::stages
