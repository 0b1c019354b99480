#include "adapters/processing/merritt/stages.hpp"

#include "adapters/processing/merritt/fetching_turns.hpp"
#include "adapters/processing/merritt/job_steps.hpp"
#include "adapters/processing/merritt/manifest_room.hpp"
#include "adapters/processing/merritt/object_turns.hpp"
#include "adapters/processing/merritt/splitting.hpp"

#include <atomic>
#include <utility>

namespace depositd::merritt {

namespace {

bool has_url(const job_document& x) {
  return x.payload.blob.empty();
}

bool has_rows(const job_document& x) {
  return x.type == job_type::manifest;
}

/// A server may need hours for what it sends: who names such servers have all
/// workers of this process but one, which is for others.
job_step in_turn(bool (*is_fetched)(const job_document&), job_step step,
                 std::chrono::milliseconds slow_from) {
  return [is_fetched, step = std::move(step),
          turns = make_fetching_turns(slow_from)](work_on_job& x) {
    if (!is_fetched(x.job))
      return step(x);
    const auto workers = fetching_workers(x.task.stage);
    auto turn = turns->enter(x.job.user, fetching_limits(workers));
    if (!turn)
      return wait_for_fetching("jobs of " + x.job.user + " or of others are");
    std::atomic<bool> was_put_back = false;
    x.put_back = [&](std::uint64_t more) {
      if (turn->is_to_end(workers, more))
        was_put_back = true;
      return was_put_back.load();
    };
    auto out = step(x);
    x.put_back = nullptr;
    return was_put_back && out.says == verdict::retry ? put_back_for_others()
                                                      : out;
  };
}

/// With its manifest in memory.
job_step in_room(std::shared_ptr<manifest_room> room, job_step step) {
  return [room = std::move(room), step = std::move(step)](work_on_job& x) {
    if (!has_rows(x.job))
      return step(x);
    const auto place =
      room->enter_with(x.job.user, x.folder.submitted_manifest());
    return place ? step(x)
                 : ended_without_turn("other large manifests take the memory "
                                      "that there is for them");
  };
}

/// What a job says that it is about is known from its first stage on: those
/// that were sent later let it go first.
stages::stage_handler
in_order(const std::shared_ptr<const stages::stage_tools>& tools,
         std::shared_ptr<object_turns> turns, job_step step) {
  return job_handler(tools, [turns = std::move(turns),
                             step = std::move(step)](work_on_job& x) {
    x.turns = turns.get();
    enter_turns(x);
    auto out = step(x);
    if (is_fatal(x, out.says))
      give_up_turn(x);
    return out;
  });
}

} // namespace

stages::stage_handlers
first_stages(std::shared_ptr<const stages::stage_tools> tools,
             std::shared_ptr<promised_room> room,
             std::chrono::milliseconds slow_from,
             std::uint64_t manifest_bytes) {
  stages::stage_handlers out;
  const auto turns = std::make_shared<object_turns>();
  const auto manifests = std::make_shared<manifest_room>(manifest_bytes);
  const auto fetching = [&](bool (*is_fetched)(const job_document&),
                            job_step step) {
    return in_order(tools, turns,
                    in_turn(is_fetched, std::move(step), slow_from));
  };
  out["merritt.split"] = make_splitter(tools, slow_from);
  out["merritt.stage"] = fetching(&has_url, stage_payload);
  out["merritt.estimate"]
    = fetching(&has_rows, in_room(manifests, [](work_on_job& x) {
                 return estimate_space(x);
               }));
  const auto waiting =
    tools->wake ? std::make_shared<room_watch>(tools, room) : nullptr;
  out["merritt.provision"] = in_order(tools, turns, [=](work_on_job& x) {
    return provision_space(x, *room, waiting.get());
  });
  out["merritt.download"]
    = fetching(&has_rows, in_room(manifests, [room](work_on_job& x) {
                 return download_rows(x, *room);
               }));
  out["merritt.process"]
    = in_order(tools, turns, in_room(manifests, process_object));
  return out;
}

} // namespace depositd::merritt
