#include "adapters/processing/merritt/stages.hpp"

#include "adapters/processing/merritt/job_steps.hpp"
#include "adapters/processing/merritt/splitting.hpp"

namespace depositd::merritt {

stages::stage_handlers
first_stages(std::shared_ptr<const stages::stage_tools> tools,
             std::shared_ptr<promised_room> room) {
  stages::stage_handlers out;
  out["merritt.split"] = make_splitter(tools);
  out["merritt.stage"] = job_handler(tools, stage_payload);
  out["merritt.estimate"] = job_handler(tools, estimate_space);
  const auto waiting =
    tools->wake ? std::make_shared<room_watch>(tools, room) : nullptr;
  out["merritt.provision"] = job_handler(tools, [=](work_on_job& x) {
    return provision_space(x, *room, waiting.get());
  });
  out["merritt.download"] = job_handler(
    tools, [room](work_on_job& x) { return download_rows(x, *room); });
  out["merritt.process"] = job_handler(tools, process_object);
  return out;
}

} // namespace depositd::merritt
