#pragma once

// Stages that use a bucket whose server says when it is full, or busy.

#include "adapters/processing/stages/stage_tools.hpp"

#include <algorithm>
#include <chrono>
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

/// What is known of a bucket's room: what its server said when something was
/// put there. May be used from several threads.
class bucket_room {
public:
  using clock = std::function<std::chrono::steady_clock::time_point()>;

  /// Whoever had no room for so long has stopped asking for it.
  static constexpr std::chrono::minutes patience{10};

  explicit bucket_room(std::string name,
                       clock now = std::chrono::steady_clock::now)
    : name_(std::move(name)), now_(std::move(now)) {
    // nop
  }

  /// Something of so many bytes was put, or there was no room for it. The log
  /// is told once, and once that what is as large as all that was refused found
  /// room.
  void put_ended(std::uint64_t bytes, const caf::error& no_room) {
    const std::lock_guard guard{mutex_};
    const auto now = now_();
    if (no_room) {
      if (!std::exchange(is_full_, true))
        spdlog::error("no_room bucket={} reason=\"{}\"", name_,
                      render(no_room));
      ++refused_;
      bytes_ = std::max(bytes_, bytes);
      last_ = no_room;
      asked_ = now;
    } else if (is_full_ && (bytes >= bytes_ || now >= asked_ + patience)) {
      is_full_ = false;
      bytes_ = 0;
      spdlog::info("room_again bucket={}", name_);
    }
  }

  /// A request was given up, since the server wants fewer of them. The log is
  /// told once in ten minutes.
  void was_busy(const caf::error& why) {
    const std::lock_guard guard{mutex_};
    const auto now = now_();
    ++refused_;
    last_ = why;
    if (busy_said_ && now < *busy_said_ + patience)
      return;
    busy_said_ = now;
    spdlog::warn("bucket_busy bucket={} reason=\"{}\"", name_, render(why));
  }

  /// How often it had none, or was busy.
  std::uint64_t refused() const {
    const std::lock_guard guard{mutex_};
    return refused_;
  }

  /// Why that was last, if it was since it had been so often.
  caf::error refused_since(std::uint64_t count) const {
    const std::lock_guard guard{mutex_};
    return refused_ > count ? last_ : caf::error{};
  }

private:
  const std::string name_; ///< for people: that of its settings
  const clock now_;
  mutable std::mutex mutex_; ///< guards what follows
  std::uint64_t refused_ = 0;
  bool is_full_ = false;    ///< the log was told
  std::uint64_t bytes_ = 0; ///< the most that were refused while it is full
  caf::error last_;
  std::chrono::steady_clock::time_point asked_;
  std::optional<std::chrono::steady_clock::time_point> busy_said_;
};

struct bucket_use {
  std::shared_ptr<bucket_room> what;
  std::function<bool(const stage_task&)> needs; ///< whether the item may
};

/// Does the work, but lets an item wait whose work fails while a bucket that it
/// needs refused for want of room, or since it was busy: that costs no attempt,
/// and its document stays as it was. Another item's refusal meanwhile counts as
/// well: who waits for nothing waits once.
inline stage_handler while_taken(std::vector<bucket_use> all,
                                 stage_handler work) {
  if (all.empty())
    return work;
  return [all = std::move(all),
          work = std::move(work)](const stage_task& task) -> outcome {
    std::vector<std::uint64_t> before;
    for (const auto& x : all)
      before.push_back(x.what->refused());
    auto out = work(task);
    if (out.says != verdict::retry && out.says != verdict::failed)
      return out;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].needs(task))
        if (const auto full = all[i].what->refused_since(before[i]))
          return ended(verdict::not_yet, render(full));
    return out;
  };
}

} // namespace depositd::stages
