#include "adapters/processing/merritt/work_on_job.hpp"

#include "adapters/processing/merritt/lock_clock.hpp"

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

std::vector<std::string> names_of_locks(const work_on_job& x) {
  std::vector<std::string> out;
  if (!x.job.what.identifier.empty())
    out.push_back(identifier_lock(x.job, 0, 0).name);
  if (x.task.collection != nullptr)
    for (const auto& id : x.job.what.local_ids)
      out.push_back(
        local_id_lock(x.job, x.task.collection->owner, id, 0, 0).name);
  return out;
}

caf::error unlock(const work_on_job& x, const std::vector<std::string>& names) {
  if (auto failure =
        x.tools.inventory->unlock_all(x.job.uuid, x.task.item.item.token))
    return failure;
  if (x.tools.lock_waits)
    x.tools.lock_waits->ended(names);
  return {};
}

} // namespace

stages::stage_handler
job_handler(std::shared_ptr<const stages::stage_tools> tools, job_step step) {
  return [tools = std::move(tools),
          step = std::move(step)](const stages::stage_task& task) {
    return run(*tools, task, step);
  };
}

caf::expected<std::string> body_of(const stages::stage_tools& tools,
                                   const claimed_item& item) {
  if (item.kind == body_kind::inline_bytes)
    return item.body;
  return tools.blobs->get(item.body);
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

outcome wait_for_lock(const work_on_job& x, const object_lock& wanted) {
  auto out = ended(verdict::not_yet,
                   in_quotes(wanted.name) + " is in another job's hands");
  if (x.tools.lock_waits) {
    x.tools.lock_waits->wait(wanted.name, x.task.item);
    // It may have been given up before that was noted.
    const auto free = x.tools.inventory->lock(wanted, lock_time());
    if (free && *free)
      out.delay_ms = 1;
  }
  auto given_up = names_of_locks(x);
  std::erase(given_up, wanted.name);
  if (auto failure = unlock(x, given_up))
    return ended(verdict::retry, depositd::render(failure));
  return out;
}

caf::error give_up_locks(const work_on_job& x) {
  return unlock(x, names_of_locks(x));
}

std::string in_quotes(std::string_view name) {
  return "\"" + std::string{name.substr(0, 200)} + "\"";
}

} // namespace depositd::merritt
