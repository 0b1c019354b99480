#include "adapters/processing/merritt/stages.hpp"

#include "adapters/processing/merritt/fetching_turns.hpp"
#include "adapters/processing/merritt/job_steps.hpp"
#include "adapters/processing/merritt/splitting.hpp"

#include <utility>

namespace depositd::merritt {

namespace {

bool has_url(const job_document& x) {
  return x.payload.blob.empty();
}

bool has_rows(const job_document& x) {
  return x.type == job_type::manifest;
}

/// A server may need hours for what it sends: whoever names such servers has
/// all workers of this process but one, which is for others.
job_step in_turn(bool (*is_fetched)(const job_document&), job_step step) {
  const auto turns = make_fetching_turns();
  return [=](work_on_job& x) {
    if (!is_fetched(x.job))
      return step(x);
    if (const auto turn =
          turns->enter(x.job.user, fetched_at_once_by_one(x.task.stage)))
      return step(x);
    return wait_for_fetching("other jobs of " + x.job.user + " are");
  };
}

} // namespace

stages::stage_handlers
first_stages(std::shared_ptr<const stages::stage_tools> tools,
             std::shared_ptr<promised_room> room) {
  stages::stage_handlers out;
  out["merritt.split"] = make_splitter(tools);
  out["merritt.stage"] = job_handler(tools, in_turn(&has_url, stage_payload));
  out["merritt.estimate"] = job_handler(
    tools,
    in_turn(&has_rows, [](work_on_job& x) { return estimate_space(x); }));
  const auto waiting =
    tools->wake ? std::make_shared<room_watch>(tools, room) : nullptr;
  out["merritt.provision"] = job_handler(tools, [=](work_on_job& x) {
    return provision_space(x, *room, waiting.get());
  });
  out["merritt.download"] =
    job_handler(tools, in_turn(&has_rows, [room](work_on_job& x) {
                  return download_rows(x, *room);
                }));
  out["merritt.process"] = job_handler(tools, process_object);
  return out;
}

} // namespace depositd::merritt
