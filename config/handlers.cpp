#include "config/handlers.hpp"

#include "actors/rules/control/pipelines.hpp"
#include "actors/rules/control/stage_slots.hpp"
#include "adapters/processing/aptrust/ingest/stages.hpp"
#include "adapters/processing/aptrust/orders/reporting.hpp"
#include "adapters/processing/aptrust/orders/splitting.hpp"
#include "adapters/processing/aptrust/orders/stages.hpp"
#include "adapters/processing/crossref/handler.hpp"
#include "adapters/processing/crossref/notify_handler.hpp"
#include "adapters/processing/crossref/slot_threads.hpp"
#include "adapters/processing/exec/exec_handler.hpp"
#include "adapters/processing/merritt/keeping.hpp"
#include "adapters/processing/merritt/stages.hpp"
#include "adapters/processing/stages/stage_crew.hpp"
#include "adapters/processing/stages/while_there.hpp"
#include "adapters/stores/files/work_marker.hpp"
#include "config/aptrust.hpp"
#include "config/process_memory.hpp"
#include "config/shared_services.hpp"
#include "messages/values/operations.hpp"
#include "messages/workers.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <thread>
#include <utility>

namespace depositd {

namespace {

/// What doors take is read.
crossref::xml_limits limits_of(const depositd_settings& settings) {
  crossref::xml_limits out;
  out.bytes_max = std::size_t{settings.crossref.body_limit_mb} << 20;
  return out;
}

/// What waits for this machine's processors needs no more threads than these.
std::size_t busy_slots(stores_are where) {
  return where == stores_are::elsewhere
           ? 0
           : std::max(std::thread::hardware_concurrency(), 1U);
}

} // namespace

deposit_handlers handlers_of(caf::actor_system& system,
                             const depositd_settings& settings,
                             std::shared_ptr<blob_store> blobs,
                             std::shared_ptr<doi_registry> registry,
                             stores_are where,
                             std::shared_ptr<memory_budget> memory) {
  const std::chrono::milliseconds delay{settings.processors.inject_delay_ms};
  if (delay.count() > 0) {
    const auto spawn = [&system, delay]() -> handler_actor {
      return system.spawn(crossref::delaying_handler, delay);
    };
    return {spawn, [spawn](std::size_t) { return spawn(); }};
  }
  crossref::submission_handler handling;
  handling.blobs = std::move(blobs);
  handling.registry = std::move(registry);
  handling.limits = limits_of(settings);
  handling.room = std::make_shared<crossref::parsing_room>(std::move(memory));
  if (!settings.crossref.schema_folder.empty())
    handling.schemas = std::make_shared<crossref::schema_folder>(
      settings.crossref.schema_folder);
  const auto work =
    std::make_shared<const crossref::submission_handler>(std::move(handling));
  const std::chrono::milliseconds least{settings.processors.least_ms};
  const auto slowed = [&system, least](handler_actor out) -> handler_actor {
    if (least.count() > 0)
      return system.spawn(crossref::slowed_handler, out, least);
    return out;
  };
  const auto threads = std::make_shared<crossref::slot_threads>(
    system, crossref::slot_threads_options{.busy_max = busy_slots(where)});
  return {[=, &system] {
            return slowed(system.spawn(crossref::slot_handler, work, threads));
          },
          [=, &system](std::size_t count) {
            return slowed(workers<handler_actor>(
              system, {.count = count}, [&system, work] {
                return system.spawn<caf::detached>(crossref::handler, work);
              }));
          }};
}

namespace {

const stage_settings* stage_at(const control_state& state,
                               const std::string& queue) {
  static const stage_settings telling{.name = "notify",
                                      .handler = crossref::notify_handler_name};
  const auto known = state.queues.find(queue);
  if (known != state.queues.end() && known->second.kind == queue_kind::outbox)
    return &telling;
  const auto place = rules::find_stage(state, queue);
  return place.of == nullptr ? nullptr : &place.of->stages[place.index];
}

/// A queue of batches, which are split and reported on even in trials: else
/// there would be no jobs.
bool is_of_batches(const std::string& queue) {
  return queue.ends_with(std::string{"."} + split_stage)
         || queue.ends_with(std::string{"."} + report_stage);
}

/// What is in the working folder would seem to be gone with its disk.
void wait_for_work_folder(stages::stage_handlers& all,
                          const std::filesystem::path& folder) {
  const auto look = stages::telling(
    [folder] { return look_for_work_marker(folder); }, "work_folder");
  for (auto& [name, handler] : all)
    if (rules::needs_of({.name = name, .handler = name}).work_folder)
      handler = stages::while_there(look, std::move(handler));
}

/// Programs need no working folder, but one that the settings name has a marker
/// or is not there: at the start, too, its disk may be away.
std::function<caf::error()>
look_for_programs(const depositd_settings& settings,
                  const std::filesystem::path& folder) {
  if (!settings.work.folder.empty())
    return [folder] { return look_for_work_marker(folder); };
  const auto watch = std::make_shared<work_folder_watch>(folder);
  return [watch] { return watch->look(); };
}

} // namespace

stage_handlers_made
stage_handlers_of(caf::actor_system& system, const depositd_settings& settings,
                  std::shared_ptr<const stages::stage_tools> tools,
                  std::shared_ptr<const bagit::profile_set> profiles,
                  const work_cut_ptr& cut, public_address_ptr doors) {
  stages::stage_work_options options;
  const std::shared_ptr<exec::program_groups> programs{cut, &cut->programs};
  auto ingest = ingest_options_of(settings, tools, std::move(profiles));
  ingest.programs = programs;
  // Besides what doors and bodies take.
  const auto for_manifests =
    budget_of(settings.memory, find_memory_limits()).bytes_max / 2;
  options.handlers = merritt::first_stages(
    tools, ingest.room, merritt::slow_fetch_from, for_manifests);
  options.handlers.merge(
    merritt::last_stages(tools, relay_service(settings, cut)));
  options.handlers.merge(aptrust::ingest_stages(std::move(ingest)));
  options.handlers.merge(aptrust::order_stages(tools));
  auto& splitter = options.handlers.at(stages::split_handler);
  splitter = aptrust::make_order_splitter(tools, std::move(splitter));
  auto& reporter = options.handlers.at(stages::report_handler);
  reporter = aptrust::make_order_reporter(tools, std::move(reporter));
  options.handlers[crossref::notify_handler_name] =
    crossref::make_notify_handler(
      {.tools = tools,
       .public_url = [doors = std::move(doors)] { return doors->url(); },
       .retention_s =
         std::int64_t{settings.retention.submissions_days} * 24 * 3600,
       .limits = limits_of(settings)});
  wait_for_services(options.handlers, settings, *tools, cut);
  wait_for_work_folder(options.handlers, tools->work_folder);
  options.exec = stages::while_there(
    stages::telling(look_for_programs(settings, tools->work_folder),
                    "work_folder"),
    wait_for_room(
      tools->work_folder,
      exec::make_exec_handler(tools->work_folder, programs)));
  options.is_cut = watch(cut);
  options.find_stage = stage_at;
  options.blobs = tools->blobs;
  const auto work =
    std::make_shared<const stages::stage_work>(std::move(options));
  const std::chrono::milliseconds delay{settings.processors.inject_delay_ms};
  // Asked by the one actor that manages processors.
  const auto crews =
    std::make_shared<std::map<std::string, stages::stage_crew_actor>>();
  stage_handlers_made out;
  if (delay.count() == 0)
    out.begun = [work](item_id id) { return work->begun(id); };
  out.spawn = [=, &system](const std::string& queue) -> handler_actor {
    if (delay.count() > 0 && !is_of_batches(queue))
      return system.spawn(crossref::delaying_handler, delay);
    auto& crew = (*crews)[queue];
    if (!crew)
      crew = system.spawn(stages::stage_crew, stages::stage_crew_options{work});
    return system.spawn(stages::stage_slot, work, crew);
  };
  return out;
}

} // namespace depositd
