#include "messages/values/work_documents.hpp"

#include "messages/values/time_text.hpp"

#include <nlohmann/json.hpp>

namespace depositd {

namespace {

using json = nlohmann::ordered_json;

json time_or_null(micros at) {
  return at == never ? json(nullptr) : json(format_utc(at));
}

json local_ids(std::string_view joined) {
  auto out = json::array();
  while (!joined.empty()) {
    const auto end = joined.find(';');
    if (end != 0)
      out.push_back(joined.substr(0, end));
    joined.remove_prefix(end == joined.npos ? joined.size() : end + 1);
  }
  return out;
}

} // namespace

json document_of(const batch_row& x, const ended_jobs& ended) {
  return {{"id", x.id},
          {"uuid", x.info.uuid},
          {"user", x.user},
          {"collection", x.info.collection},
          {"state", word(x.status.state)},
          {"submitted_at", time_or_null(x.received_us)},
          {"changed_at", time_or_null(x.status.changed_us)},
          {"jobs",
           {{"total", x.jobs.total()},
            {"completed", x.jobs.completed},
            {"failed", x.jobs.failed},
            {"held", x.jobs.held},
            {"open", x.jobs.open},
            {"deleted", x.jobs.deleted}}},
          {"failed_jobs", ended.failed},
          {"successful_jobs", ended.successful}};
}

json document_of(const job_row& x) {
  return {{"id", x.id},
          {"uuid", x.info.uuid},
          {"batch", x.batch},
          {"user", x.user},
          {"collection", x.info.collection},
          {"type", word(x.info.type)},
          {"state", word(x.status.state)},
          {"last_successful_status", word(x.status.last_successful)},
          {"retry_count", x.status.retry_count},
          {"priority", x.priority},
          {"space_needed", x.facts.space_needed},
          {"identifier", x.facts.identifier},
          {"local_id", local_ids(x.facts.local_ids)},
          {"attempt", x.attempt},
          {"needs_review", x.status.needs_review},
          {"note", x.status.note},
          {"changed_at", time_or_null(x.status.changed_us)}};
}

} // namespace depositd
