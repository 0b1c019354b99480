// Pipelines that lose and gain stages, and collections of which something else
// is set, while jobs are in any stage. An operator can change neither the order
// of stages nor their states, but a file that an engine starts with can, and
// shards that were there before take it up as they are.

#include "actors/rules/control/pipelines.hpp"
#include "messages/work.hpp"
#include "tests/simulation/pipelines_of_lives.hpp"
#include "tests/simulation/queues_of_lives.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace depositd::simulation {

namespace {

constexpr std::array stage_names = {"first", "middle", "fetch",
                                    "check", "last",   "more"};

constexpr std::array stage_states = {
  job_state::pending, job_state::downloading, job_state::processing,
  job_state::storing, job_state::notify};

template <class T, std::size_t N>
T one_of(const std::array<T, N>& all, chance& any) {
  return all[any.below(static_cast<std::uint32_t>(N))];
}

} // namespace

std::vector<std::string> stages_of_changes() {
  return {stage_names.begin(), stage_names.end()};
}

/// With every stage that there may be, all of one state.
pipeline world::pipeline_of_all() const {
  auto out = pipeline_as_set();
  auto like = out.stages.front();
  out.stages.clear();
  for (const auto* name : stage_names) {
    like.name = name;
    out.stages.push_back(like);
  }
  return out;
}

/// Some of the stages, mostly in one order; their states never go back.
pipeline world::some_pipeline(chance& any) const {
  auto out = pipeline_as_set();
  auto like = out.stages.front();
  like.attempts_max = 1 + any.below(4);
  out.stages.clear();
  for (const auto* name : stage_names)
    if (any.one_in(2)) {
      like.name = name;
      out.stages.push_back(like);
    }
  if (out.stages.empty())
    out.stages.push_back(like);
  if (any.one_in(4))
    std::reverse(out.stages.begin(), out.stages.end());
  std::vector<job_state> states(out.stages.size());
  for (auto& x : states)
    x = one_of(stage_states, any);
  std::sort(states.begin(), states.end());
  for (std::size_t i = 0; i < states.size(); ++i)
    out.stages[i].state = states[i];
  return out;
}

void world::step_of_pipelines() {
  auto& any = pipeline_chance_;
  if (any.one_in(3))
    return change_collection();
  const auto next = any.one_in(3) ? pipeline_as_set() : some_pipeline(any);
  change(rules::with_queues({}, {next, false}));
}

void world::change_collection() {
  auto& any = pipeline_chance_;
  auto next = any.one_in(2) ? collection_as_set("maps", false)
                            : collection_as_set("books", books_held_);
  // The shell does not while batches of it are known, but one may just come.
  next.removed = next.settings.name == "maps" && any.one_in(4);
  std::erase_if(next.settings.submitters,
                [&](const std::string&) { return any.one_in(2); });
  if (any.one_in(2))
    next.settings.owner = "u1";
  next.settings.has_priority = any.one_in(2);
  if (next.settings.has_priority)
    next.settings.priority = static_cast<std::uint8_t>(any.below(100));
  change({next});
}

std::vector<event> world::pipelines_mended() const {
  auto out = rules::with_queues({}, {pipeline_as_set(), false});
  out.emplace_back(collection_as_set("books", false));
  out.emplace_back(collection_as_set("maps", false));
  return out;
}

bool world::is_stage_of_old(const std::string& queue) const {
  if (is_of_orders(queue))
    return true; // those are not changed
  const auto stages = pipeline_as_set().stages;
  return std::any_of(stages.begin(), stages.end(), [&](const auto& x) {
    return stage_queue_name("p", x.name) == queue;
  });
}

} // namespace depositd::simulation
