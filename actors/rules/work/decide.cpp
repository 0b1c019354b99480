#include "actors/rules/work/work.hpp"

#include "actors/rules/lifecycle/outcomes.hpp"

#include <algorithm>

namespace depositd::rules {

job_moved after_death(const pipeline* stages, const job_moved& as_it_is,
                      std::uint32_t attempt, micros now) {
  auto out = as_it_is;
  ++out.status.deaths;
  out.status.changed_us = now;
  out.status.note = "the engine died with it in hand";
  out.place.queue = out.queue;
  const auto costs = death_costs_attempt(out.status.deaths);
  out.place.attempt = costs || attempt == 0 ? attempt : attempt - 1;
  if (!costs || stages == nullptr)
    return out;
  for (const auto& stage : stages->stages) {
    if (stage_queue_name(stages->name, stage.name) != out.queue
        || out.place.attempt < stage.attempts_max)
      continue;
    auto failed =
      moved(as_it_is.status, {as_it_is.status.state, job_state::failed, now,
                              "the engine died with it in hand "
                                + std::to_string(out.status.deaths)
                                + " times"});
    if (!failed)
      continue;
    failed->deaths = out.status.deaths;
    failed->needs_review = true;
    out.status = std::move(*failed);
    out.place.parked = true;
  }
  return out;
}

} // namespace depositd::rules
