#pragma once

// Stages that need what may be away for a while, as a disk that is not mounted.

#include "adapters/processing/stages/stage_tools.hpp"
#include "messages/values/trouble.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

namespace depositd::stages {

/// Does the work while `look` finds what it needs. While that is away items
/// wait, at no cost of their attempts, also those whose work has found out:
/// what they say of it says nothing.
inline stage_handler while_there(std::function<caf::error()> look,
                                 stage_handler work) {
  return [look = std::move(look),
          work = std::move(work)](const stage_task& task) -> outcome {
    if (const auto away = look())
      return ended(verdict::not_yet, render(away));
    auto out = work(task);
    if (out.says == verdict::failed || out.says == verdict::rejected
        || out.says == verdict::retry)
      if (const auto away = look())
        return ended(verdict::not_yet, render(away));
    return out;
  };
}

/// The same look, from several threads; the log is told once that it is away,
/// and once that it is back.
inline std::function<caf::error()> telling(std::function<caf::error()> look,
                                           std::string what) {
  struct told {
    std::mutex mutex;
    trouble state;
  };
  return [look = std::move(look), what = std::move(what),
          so_far = std::make_shared<told>()]() -> caf::error {
    auto away = look();
    const std::lock_guard guard{so_far->mutex};
    if (auto reason = render(away); away && so_far->state.is_new(reason))
      spdlog::error("{}_away reason=\"{}\"", what, reason);
    else if (!away && so_far->state.is_over())
      spdlog::info("{}_back", what);
    return away;
  };
}

} // namespace depositd::stages
