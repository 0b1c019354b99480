// Pipelines: their stages, how many work on each, and pausing them.

#include "actors/operators/command.hpp"
#include "actors/operators/work_why.hpp"

#include "actors/rules/control/pipelines.hpp"
#include "messages/receiving.hpp"
#include "messages/shard.hpp"
#include "messages/values/words.hpp"

#include <algorithm>
#include <map>

namespace depositd::operators {

namespace about_pipelines {
namespace {

using queue_reports = std::map<std::string, queue_report>;

// -- documents ----------------------------------------------------------------

/// What is going on in one queue of a pipeline.
document traffic_document(const std::string& queue,
                          const queue_reports& reports) {
  const auto at = reports.find(queue);
  const auto x = at == reports.end() ? queue_report{} : at->second;
  return {{"queue", queue},
          {"paused", x.settings.suspended},
          {"waiting", x.ready},
          {"in_process", x.in_flight}};
}

document stage_document(const pipeline& of, const stage_settings& x,
                        const queue_reports& reports) {
  document out{{"name", x.name},
               {"state", word(x.state)},
               {"kind", word(x.kind)},
               {"handler", x.kind == handler_kind::exec ? document(x.command)
                                                        : document(x.handler)},
               {"workers", x.workers},
               {"workers_per_node", cap_or_null(x.workers_per_node)},
               {"buffer", x.buffer},
               {"attempts_max", x.attempts_max},
               {"lease_ms", x.lease_ms},
               {"retry_delay_ms", x.retry_delay_ms},
               {"retry_delay_ms_max", x.retry_delay_ms_max},
               {"not_yet_delay_ms", x.not_yet_delay_ms},
               {"nodes", x.nodes}};
  const auto queue = stage_queue_name(of.name, x.name);
  out.update(traffic_document(queue, reports));
  const auto at = reports.find(queue);
  const auto slots = at == reports.end() ? 0 : at->second.processors;
  out["slots"] = slots;
  const bool lacks = slots == 0 && x.workers > 0 && !what_runs(x).empty();
  out["reason"] = lacks ? document(no_processor_on_node) : document();
  return out;
}

/// What waits where the pipeline has had a stage that it has not any more.
document gone_stages(const pipeline& of, const queue_reports& reports) {
  auto out = document::array();
  const auto has = rules::queues_of(of);
  for (const auto& [queue, report] : reports)
    if (queue.substr(0, queue.rfind('.')) == of.name && queue != of.name
        && report.settings.kind == queue_kind::stage
        && report.ready + report.in_flight > 0
        && std::none_of(has.begin(), has.end(),
                        [&](const auto& x) { return x.first == queue; }))
      out.push_back(traffic_document(queue, reports));
  return out;
}

document pipeline_document(const pipeline& x, const queue_reports& reports) {
  document out{{"name", x.name}, {"paused", true}};
  for (const auto& [key, stage] :
       {std::pair{"batch", split_stage}, std::pair{"report", report_stage}})
    out[key] = traffic_document(stage_queue_name(x.name, stage), reports);
  auto& stages = out["stages"] = document::array();
  for (const auto& stage : x.stages)
    stages.push_back(stage_document(x, stage, reports));
  bool paused = out["batch"]["paused"] && out["report"]["paused"];
  for (const auto& stage : stages)
    paused = paused && stage["paused"];
  out["paused"] = paused;
  if (auto gone = gone_stages(x, reports); !gone.empty())
    out["gone"] = std::move(gone);
  return out;
}

/// Goes on with what is set and what is going on.
void with_reports(
  admin_pointer self, const admin_call_ptr& call,
  std::function<void(const control_state&, const queue_reports&)> use) {
  with_control(self, call, [=](const control_snapshot& control) {
    ask(self, call, self->state.options.shard, list_queues{},
        [=](const queues_listed& x) {
          queue_reports reports;
          for (const auto& queue : x.queues)
            reports[queue.name] = queue;
          use(*control, reports);
        });
  });
}

void list(admin_pointer self, const admin_call_ptr& call) {
  with_reports(self, call,
               [=](const control_state& now, const queue_reports& reports) {
                 document out;
                 add_page(out, "pipelines", now.pipelines, call->arguments,
                          [&](const auto& x) {
                            return pipeline_document(x.second, reports);
                          });
                 deliver(call, out);
               });
}

caf::error unknown(const std::string& name) {
  return refuse(ec::not_found,
                "there is no pipeline " + shown(name) + "; see pipeline list");
}

void show(admin_pointer self, const admin_call_ptr& call) {
  with_reports(
    self, call, [=](const control_state& now, const queue_reports& reports) {
      const auto at = now.pipelines.find(call->arguments.text("name"));
      if (at == now.pipelines.end())
        refuse(call, unknown(call->arguments.text("name")));
      else
        deliver(call, pipeline_document(at->second, reports));
    });
}

// -- settings -----------------------------------------------------------------

/// What of a stage can be set here.
document settings_document(const pipeline& of, const stage_settings& x) {
  return {{"pipeline", of.name},
          {"stage", x.name},
          {"workers", x.workers},
          {"buffer", x.buffer},
          {"attempts_max", x.attempts_max}};
}

caf::error unknown_stage(const control_state& now, const std::string& name) {
  const auto dot = name.rfind('.');
  const auto at = now.pipelines.find(name.substr(0, dot));
  if (at == now.pipelines.end())
    return unknown(name.substr(0, dot));
  std::string known;
  for (const auto& stage : at->second.stages)
    known += (known.empty() ? "" : ", ") + stage.name;
  return refuse(ec::not_found,
                "name one stage, as " + at->first + ".STAGE; it has " + known);
}

change set(const admin_arguments& in, const control_state& now) {
  const auto place = rules::find_stage(now, in.text("name"));
  if (!place.of)
    return unknown_stage(now, in.text("name"));
  if (!in.has("workers") && !in.has("buffer") && !in.has("attempts_max"))
    return refuse(ec::invalid_argument, "give workers, buffer or attempts_max");
  pipeline_changed after{*place.of, false};
  auto& stage = after.what.stages[place.index];
  in.take("workers", stage.workers);
  in.take("buffer", stage.buffer);
  in.take("attempts_max", stage.attempts_max);
  if (auto problem = rules::check_pipeline(after))
    return problem;
  admin_change out{{},
                   settings_document(*place.of, place.of->stages[place.index]),
                   settings_document(after.what, stage)};
  if (after.what != *place.of)
    out.events = rules::with_queues(now, after);
  return out;
}

/// The queues of a pipeline, or of one stage of it; batch and report count as
/// stages here.
caf::expected<std::vector<std::string>> queues_meant(const control_state& now,
                                                     const std::string& name) {
  auto all = rules::queue_names_of(now, name);
  if (!all.empty())
    return all;
  const auto dot = name.rfind('.');
  for (const auto& queue : rules::queue_names_of(now, name.substr(0, dot)))
    if (queue == name)
      return std::vector<std::string>{queue};
  if (dot == std::string::npos)
    return unknown(name);
  return unknown_stage(now, name);
}

decide_function pause(bool on) {
  return [=](const admin_arguments& in, const control_state& now) -> change {
    const auto name = in.text("name");
    const auto queues = queues_meant(now, name);
    if (!queues)
      return queues.error();
    const auto document_for = [&](bool before) {
      auto stages = document::array();
      for (const auto& queue : *queues) {
        const auto at = now.queues.find(queue);
        const bool was = at != now.queues.end() && at->second.suspended;
        stages.push_back({{"queue", queue}, {"paused", before ? was : on}});
      }
      return document{{"name", name}, {"stages", std::move(stages)}};
    };
    admin_change out{{}, document_for(true), document_for(false)};
    out.after["paused"] = on;
    for (const auto& queue : *queues) {
      const auto at = now.queues.find(queue);
      if (at == now.queues.end() || at->second.suspended == on)
        continue;
      auto settings = at->second;
      settings.suspended = on;
      out.events.emplace_back(queue_changed{queue, settings});
    }
    return out;
  };
}

// -- rows ---------------------------------------------------------------------

using kind = value_kind;

argument_spec number_option(const char* spelling, const char* key,
                            const char* help, std::int64_t min,
                            std::int64_t max) {
  argument_spec out{spelling, key, kind::number, "N", help};
  out.min = min;
  out.max = max;
  return out;
}

view_block stage_table() {
  return table_view("stages",
                    "STAGE={name}; STATE={paused?}||open; HANDLER={handler}; "
                    ">WORKERS={workers}; >BUFFER={buffer}; "
                    ">ATTEMPTS={attempts_max}; >LEASE MS={lease_ms}; "
                    ">WAITING={waiting}; >IN PROCESS={in_process}");
}

command of_nobody(command x) {
  return concerning(concern::nobody, std::move(x));
}

} // namespace
} // namespace about_pipelines

std::vector<command> pipeline_commands() {
  using namespace about_pipelines;
  const auto name =
    name_argument("Name of the pipeline", "NAME", "pipeline list");
  const auto stage_too = name_argument("A pipeline, or one stage of it",
                                       "NAME[.STAGE]", "pipeline list");
  view_block facts{.kind = block_kind::pairs};
  facts.columns = columns("pipeline={name}; paused={paused}; "
                          "batches waiting={batch.waiting}; "
                          "reports waiting={report.waiting}");
  return {
    of_nobody(reading(
      "pipeline list", "All pipelines with their stages",
      {limit_argument(10'000),
       after_argument("NAME", "Go on after this name", "pipeline list")},
      {table_view("pipelines", "PIPELINE={name}; STATE={paused?}||open; "
                               ">STAGES={stages:count}; "
                               ">WAITING={stages.waiting:sum}; "
                               ">IN PROCESS={stages.in_process:sum}; "
                               ">BATCHES={batch.waiting}; "
                               ">REPORTS={report.waiting}"),
       next_page_line("pipelines")},
      list)),
    of_nobody(reading("pipeline show", "One pipeline, stage by stage", {name},
                      {facts, apart(stage_table()),
                       apart(table_view("gone", "STAGE THAT IS GONE={queue}; "
                                                ">WAITING={waiting}; "
                                                ">IN PROCESS={in_process}"),
                             "gone")},
                      show)),
    doing(
      "pipeline set", "Change how a stage is worked on",
      {name_argument("One stage of a pipeline", "NAME.STAGE", "pipeline list"),
       number_option("--workers", "workers", "Items at once, over all engines",
                     0, 1'000),
       number_option("--buffer", "buffer", "Items that wait in a process", 0,
                     1'000),
       number_option("--attempts-max", "attempts_max", "Attempts per item", 1,
                     1'000'000)},
      set),
    operating(doing("pipeline pause", "Accept jobs, but begin none",
                    {stage_too}, pause(true),
                    {table_view("stages", "STAGE={queue}; PAUSED={paused}")})),
    operating(doing("pipeline unpause", "End of pause", {stage_too},
                    pause(false),
                    {table_view("stages", "STAGE={queue}; PAUSED={paused}")})),
  };
}

} // namespace depositd::operators
