#pragma once

// Stages that need what may be away for a while, as a disk that is not mounted.

#include "adapters/processing/stages/stage_tools.hpp"

#include <functional>
#include <utility>

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
    if (out.says == verdict::failed || out.says == verdict::rejected)
      if (const auto away = look())
        return ended(verdict::not_yet, render(away));
    return out;
  };
}

} // namespace depositd::stages
