#include "adapters/processing/merritt/work_on_job.hpp"

#include <exception>
#include <utility>

namespace depositd::merritt {

namespace {

outcome run(const stages::stage_tools& tools, const stages::stage_task& task,
            const job_step& step) {
  auto body = body_of(tools, task.item.item);
  if (!body)
    return ended(body.error(), verdict::failed, "the job's document");
  auto job = decode_job_document(*body);
  if (!job)
    return ended(verdict::failed,
                 "the job's document cannot be read: " + render(job.error()));
  auto folder = folder_of(tools.work_folder, *job);
  if (!folder)
    return ended(verdict::failed, render(folder.error()));
  const auto before = encode(*job);
  work_on_job x{tools, task, std::move(*job), std::move(*folder)};
  auto out = step(x);
  if (auto after = encode(x.job); after != before)
    out.document = std::move(after);
  return out;
}

} // namespace

stages::stage_handler
job_handler(std::shared_ptr<const stages::stage_tools> tools, job_step step) {
  return [tools = std::move(tools),
          step = std::move(step)](const stages::stage_task& task) {
    try {
      return run(*tools, task, step);
    } catch (const std::exception& x) {
      return ended(verdict::retry, std::string{"stopped: "} + x.what());
    }
  };
}

caf::expected<std::string> body_of(const stages::stage_tools& tools,
                                   const claimed_item& item) {
  if (item.kind == body_kind::inline_bytes)
    return item.body;
  return tools.blobs->get(item.body);
}

outcome ended(verdict says, std::string reason) {
  outcome out;
  out.says = says;
  out.reason = std::move(reason);
  return out;
}

outcome ended(const caf::error& failure, verdict wrong,
              const std::string& about) {
  const auto text = (about.empty() ? "" : about + ": ") + render(failure);
  if (failure == ec::malformed || failure == ec::store_damaged
      || failure == ec::too_large || failure == ec::invalid_argument)
    return ended(wrong, text);
  return ended(failure == ec::not_found ? verdict::failed : verdict::retry,
               text);
}

std::string in_quotes(std::string_view name) {
  return "\"" + std::string{name.substr(0, 200)} + "\"";
}

} // namespace depositd::merritt
