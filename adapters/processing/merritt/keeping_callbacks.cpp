#include "adapters/processing/merritt/keeping_callbacks.hpp"

#include "adapters/processing/merritt/keeping_steps.hpp"
#include "adapters/processing/stages/until_wanted.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/time_text.hpp"

#include <algorithm>

namespace depositd::merritt {

namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& x : texts)
    out += (out.empty() ? "" : ";") + x;
  return out;
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(';', at), text.size());
    if (end > at)
      out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// In the path, in front of a query; fragments go nowhere.
std::string address_of(const std::string& url, const std::string& job) {
  const auto whole = url.substr(0, url.find('#'));
  const auto query = std::min(whole.find('?'), whole.size());
  auto out = whole.substr(0, query);
  while (out.ends_with('/'))
    out.pop_back();
  return out + "/mc/" + job + whole.substr(query);
}

} // namespace

std::string callback_body(const job_document& job, const ended_job& end) {
  nlohmann::json state = nlohmann::json::object();
  const auto put = [&state](const std::string& name, const std::string& value) {
    if (!value.empty())
      state["job:" + name] = value;
  };
  put("jobID", job.uuid);
  put("batchID", job.batch_uuid);
  put("jobStatus", end.completed ? "COMPLETED" : "FAILED");
  put("jobStatusMessage", end.message);
  put("primaryID", job.what.identifier);
  put("localID", joined(job.what.local_ids));
  put("packageName", job.payload.file_name);
  put("objectTitle", job.what.title);
  put("objectCreator", job.what.creator);
  put("objectDate", job.what.date);
  put("submissionDate", job.submitted);
  put("completionDate", format_utc(end.ended_us));
  if (end.version > 0)
    state["job:versionID"] = end.version;
  if (job.payload.expected) {
    put("hashAlgorithm",
        std::string{digest_name(job.payload.expected->algorithm)});
    put("hashValue", job.payload.expected->value);
  }
  state["job:queuePriority"] = job.priority;
  put("note", job.note);
  put("resourceType", job.resource_type);
  for (const auto& [name, value] : job.dublin_core) {
    const auto before = state.value("job:DC." + name, std::string{});
    put("DC." + name, before.empty() ? value : before + "; " + value);
  }
  if (end.completed && !job.what.identifier.empty())
    put("persistentURL", "https://n2t.net/" + job.what.identifier);
  return json_text(nlohmann::json{{"job:jobState", std::move(state)}});
}

job_document document_of(const job_row& x) {
  job_document out;
  out.uuid = x.info.uuid;
  out.user = x.user;
  out.collection = x.info.collection;
  out.type = x.info.type;
  out.payload.file_name = x.info.file_name;
  out.what = {.identifier = x.facts.identifier,
              .local_ids = parts_of(x.facts.local_ids),
              .title = x.facts.title,
              .creator = x.facts.creator,
              .date = x.facts.date};
  out.submitted = format_utc(x.created_us);
  out.priority = x.priority;
  return out;
}

caf::error send_callback(const stages::stage_tools& tools,
                         const collection_settings& collection,
                         const job_document& job, const ended_job& end) {
  if (!tools.callbacks)
    return caf::make_error(ec::overloaded, "callbacks are not set up here");
  const auto id = end.completed
                    ? job.uuid + "-completed"
                    : job.uuid + "-failed-" + std::to_string(end.retry_count);
  return tools.callbacks->send(
    {.url = address_of(collection.callback, job.uuid),
     .key = collection.callback_key,
     .id = id,
     .body = callback_body(job, end)});
}

outcome notify_depositor(work_on_job& x, stages::receiver_turns& turns) {
  const auto* collection = x.task.collection;
  if (collection == nullptr || collection->callback.empty())
    return ended(verdict::done);
  if (auto later =
        stages::until_wanted(x.tools.callbacks, collection->callback))
    return std::move(*later);
  // Half of the workers are for others.
  auto turn = turns.enter(stages::receiver_of(collection->callback),
                          {.most = std::max(1U, x.task.stage.workers / 2)});
  if (!turn)
    return ended(verdict::not_yet, "the callback waits for its turn");
  const auto failure =
    send_callback(x.tools, *collection, x.job,
                  {.completed = true,
                   .message = "Success",
                   .ended_us = engine_clock::system().now(),
                   .version = x.job.more.value(left_by_store::version, 0u)});
  if (!failure)
    return ended(verdict::done);
  if (failure == ec::overloaded)
    turn->has_failed();
  const bool for_good = failure == ec::invalid_argument;
  if (collection->callback_may_fail && (for_good || is_last_attempt(x.task)))
    return ended(verdict::done,
                 "nobody took the callback: " + depositd::render(failure));
  return ended(for_good ? verdict::failed : verdict::retry,
               depositd::render(failure));
}

} // namespace depositd::merritt
