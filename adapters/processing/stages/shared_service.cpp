#include "adapters/processing/stages/shared_service.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::stages {

shared_service::shared_service(shared_service_options options)
  : options_(std::move(options)) {
  // nop
}

caf::error shared_service::known_away() {
  {
    const std::lock_guard guard{guard_};
    if (!away_ || options_.now() < asked_ + options_.pause)
      return away_;
  }
  const std::unique_lock turn{turn_, std::try_to_lock};
  if (turn)
    return ask();
  const std::lock_guard guard{guard_};
  return away_;
}

caf::error shared_service::look() {
  const auto begun = [this] {
    const std::lock_guard guard{guard_};
    return begun_;
  };
  const auto before = begun();
  const std::lock_guard turn{turn_};
  if (begun() == before)
    return ask();
  const std::lock_guard guard{guard_};
  return away_;
}

caf::error shared_service::ask() {
  {
    const std::lock_guard guard{guard_};
    ++begun_;
  }
  auto said = options_.ask();
  const std::lock_guard guard{guard_};
  if (said && !away_)
    spdlog::error("service_away service={} reason=\"{}\"", options_.name,
                  render(said));
  else if (!said && away_)
    spdlog::info("service_back service={}", options_.name);
  away_ = said;
  asked_ = options_.now();
  return said;
}

stage_handler while_reachable(std::vector<service_use> all,
                              stage_handler work) {
  if (all.empty())
    return work;
  return [all = std::move(all),
          work = std::move(work)](const stage_task& task) -> outcome {
    for (const auto& x : all)
      if (const auto away = x.what->known_away())
        if (x.how(task) == service_need::surely)
          return ended(verdict::not_yet, render(away));
    auto out = work(task);
    if (out.says != verdict::retry && out.says != verdict::failed)
      return out;
    for (const auto& x : all)
      if (x.how(task) != service_need::none)
        if (const auto away = x.what->look())
          return ended(verdict::not_yet, render(away));
    return out;
  };
}

} // namespace depositd::stages
