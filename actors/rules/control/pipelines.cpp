#include "actors/rules/control/pipelines.hpp"

#include "actors/rules/control/control.hpp"
#include "messages/values/names.hpp"
#include "messages/values/topic_names.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace depositd::rules {

namespace {

constexpr std::size_t names_max = 1'000;
constexpr std::size_t text_bytes_max = 2'048;
constexpr std::size_t stages_max = 64;

caf::error refuse(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

bool are_user_names(const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(),
                     [](const auto& x) { return legal_user_name(x); });
}

/// Whether there was a queue of one of its names before, of another kind, which
/// it keeps: nobody could work on what comes into it.
bool is_taken(const control_state& state, const pipeline& x) {
  const auto all = queues_of(x);
  return std::any_of(all.begin(), all.end(), [&](const auto& queue) {
    const auto known = state.queues.find(queue.first);
    return known != state.queues.end()
           && known->second.kind != queue_kind::stage;
  });
}

/// Without those that cannot work: of these what was seen before stays, so that
/// the next start looks at them anew.
pipelines_seen that_can_work(const control_state& state, pipelines_seen seen) {
  const auto& before = state.pipelines_configured.pipelines;
  std::erase_if(seen.pipelines, [&](pipeline& x) {
    if (!is_taken(state, x))
      return false;
    const auto known
      = std::find_if(before.begin(), before.end(),
                     [&](const auto& y) { return y.name == x.name; });
    if (known == before.end())
      return true;
    x = *known;
    return false;
  });
  return seen;
}

bool is_short(const std::vector<std::string>& texts) {
  return texts.size() <= names_max
         && std::all_of(texts.begin(), texts.end(), [](const auto& x) {
              return !x.empty() && x.size() <= text_bytes_max;
            });
}

} // namespace

caf::error check_collection(const control_state& state,
                            const collection_changed& x) {
  const auto& is = x.settings;
  if (!legal_user_name(is.name))
    return refuse("not a collection's name: '" + is.name.substr(0, 64) + "'");
  if (x.removed)
    return state.collections.contains(is.name)
             ? caf::error{}
             : caf::make_error(ec::not_found,
                               "no such collection: '" + is.name + "'");
  if (!legal_user_name(is.owner))
    return refuse("not a user name: '" + is.owner.substr(0, 64) + "'");
  if (is.submitters.size() > names_max || !are_user_names(is.submitters))
    return refuse("submitters are at most 1000 user names");
  if (!state.pipelines.contains(is.pipeline))
    return caf::make_error(ec::not_found, "no such pipeline: '"
                                            + is.pipeline.substr(0, 64) + "'");
  if (is.storage.empty() || is.storage.size() > 8
      || !are_user_names(is.storage))
    return refuse("a collection has 1 to 8 storage targets");
  if (!is_short(is.notify))
    return refuse("addresses have at most 2048 bytes, and are at most 1000");
  if (is.callback.size() > text_bytes_max
      || is.callback_key.size() > text_bytes_max)
    return refuse("callback and key have at most 2048 bytes");
  if (is.has_priority && is.priority > 99)
    return refuse("priority is 0 to 99");
  return {};
}

caf::error check_pipeline(const pipeline_changed& x) {
  const auto& is = x.what;
  if (!legal_queue_name(is.name) || is.stages.size() > stages_max)
    return refuse("not a pipeline: '" + is.name.substr(0, 64) + "'");
  if (x.removed)
    return {};
  if (is.stages.empty())
    return refuse("a pipeline has one stage at least");
  std::set<std::string> names{split_stage, report_stage};
  for (const auto& stage : is.stages) {
    if (!names.insert(stage.name).second
        || !legal_queue_name(stage_queue_name(is.name, stage.name)))
      return refuse("not a stage: '" + stage.name.substr(0, 64) + "'");
    if (stage.attempts_max == 0 || stage.lease_ms == 0)
      return refuse("attempts_max and lease_ms of stage " + stage.name
                    + " must be at least 1");
    if (stage.retry_delay_ms > stage.retry_delay_ms_max)
      return refuse("retry_delay_ms of stage " + stage.name
                    + " is above retry_delay_ms_max");
    if (stage.workers > 1'000 || stage.buffer > 1'000)
      return refuse("workers and buffer of stage " + stage.name
                    + " are at most 1000");
  }
  return {};
}

std::vector<std::pair<std::string, queue_settings>>
queues_of(const pipeline& x) {
  std::vector<std::pair<std::string, queue_settings>> out;
  stage_settings of_batches;
  of_batches.retry_delay_ms = 5'000;
  for (const auto* name : {split_stage, report_stage})
    out.emplace_back(stage_queue_name(x.name, name), stage_queue(of_batches));
  for (const auto& stage : x.stages)
    out.emplace_back(stage_queue_name(x.name, stage.name), stage_queue(stage));
  return out;
}

std::vector<std::string> queue_names_of(const control_state& state,
                                        const std::string& pipeline) {
  std::vector<std::string> out;
  const auto at = state.pipelines.find(pipeline);
  if (at != state.pipelines.end())
    for (auto& [name, settings] : queues_of(at->second))
      out.push_back(std::move(name));
  return out;
}

std::vector<event> with_queues(const control_state& state,
                               const pipeline_changed& x) {
  std::vector<event> out;
  if (!x.removed)
    for (auto& [name, settings] : queues_of(x.what)) {
      const auto known = state.queues.find(name);
      if (known != state.queues.end()) {
        settings = with_fixed_of(known->second, settings);
        settings.suspended = known->second.suspended;
        settings.allocation = known->second.allocation;
        settings.concurrency = known->second.concurrency;
      }
      if (known == state.queues.end() || settings != known->second)
        out.emplace_back(queue_changed{name, settings});
    }
  out.emplace_back(x);
  return out;
}

std::vector<event> pipeline_changes(const control_state& state,
                                    const pipelines_seen& all) {
  const auto& before = state.pipelines_configured.pipelines;
  const auto seen = that_can_work(state, all);
  std::vector<event> out;
  if (seen == state.pipelines_configured)
    return out;
  for (const auto& one : seen.pipelines) {
    const auto same = std::find(before.begin(), before.end(), one);
    if (same == before.end() || !state.pipelines.contains(one.name))
      for (auto& x : with_queues(state, {one, false}))
        out.push_back(std::move(x));
  }
  out.emplace_back(seen);
  return out;
}

stage_place find_stage(const control_state& state, const std::string& queue) {
  const auto dot = queue.rfind('.');
  if (dot == std::string::npos)
    return {};
  const auto at = state.pipelines.find(queue.substr(0, dot));
  if (at == state.pipelines.end())
    return {};
  const auto& stages = at->second.stages;
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (queue.compare(dot + 1, std::string::npos, stages[i].name) == 0)
      return {&at->second, i};
  return {};
}

bool serves_outside(const control_state& state, const std::string& queue) {
  if (is_topic_queue(queue))
    return false;
  const auto known = state.queues.find(queue);
  if (known == state.queues.end() || known->second.kind != queue_kind::stage)
    return true;
  const auto place = find_stage(state, queue);
  return place.of != nullptr
         && place.of->stages[place.index].kind == handler_kind::external;
}

caf::error check_submitter(const control_state& state,
                           const std::string& collection,
                           const std::string& user) {
  const auto at = state.collections.find(collection);
  if (at == state.collections.end())
    return caf::make_error(ec::not_found, "no such collection: '"
                                            + collection.substr(0, 64) + "'");
  if (!may_submit(at->second, user))
    return caf::make_error(ec::not_allowed, "user " + user.substr(0, 64)
                                              + " may not submit to collection "
                                              + collection);
  return {};
}

} // namespace depositd::rules
