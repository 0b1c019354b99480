#include "adapters/logs/kafka/records.hpp"

#include "adapters/logs/kafka/dead_letters.hpp"
#include "adapters/logs/kafka/ingress_record.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/trace_context.hpp"
#include "messages/values/work_documents.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace depositd {

namespace {

using json = nlohmann::ordered_json;

using kafka::schema_version;

/// Brokers take a megabyte by default, and JSON may double a text.
constexpr std::size_t document_bytes_max = 400'000;

/// Of an outcome; the latter stands in the place of one that is left out.
constexpr const char* document_name = "document";
constexpr const char* omitted_name = "document_omitted_bytes";

const char* name_of(ending how) {
  switch (how) {
    case ending::done:
      return "done";
    case ending::failed:
      return "failed";
    case ending::purged:
      return "purged";
    case ending::collapsed:
      return "collapsed";
  }
  return "";
}

json outcome_document(const outcome_event& x) {
  json out{{"event_id", x.event_id},
           {"item", x.id},
           {"id", x.submission.file_name},
           {"user", x.user},
           {"queue", x.queue},
           {"operation", x.submission.operation},
           {"source", x.submission.source},
           {"outcome", name_of(x.how)},
           {"reason", x.reason},
           {"batch_id", x.batch_id},
           {"received", format_utc(x.received_us)},
           {"finished", format_utc(x.finished_us)}};
  if (x.document.size() <= document_bytes_max)
    out[document_name] = x.document;
  else
    out[omitted_name] = x.document.size();
  return out;
}

outgoing_record outcome_record(const std::string& topic,
                               const outcome_event& x) {
  // A file name may be any bytes; what is not UTF-8 becomes U+FFFD.
  outgoing_record out{
    .topic = topic,
    .key = x.user,
    .value = json_text(outcome_document(x)),
    .headers = {{"event-id", x.event_id}, {"schema-version", schema_version}}};
  if (!x.submission.trace.empty())
    out.headers.push_back({traceparent_header, x.submission.trace});
  return out;
}

outgoing_record work_record(const std::string& topic, const std::string& user,
                            const std::string& event_id, const json& value) {
  return {
    .topic = topic,
    .key = user,
    .value = json_text(value),
    .headers = {{"event-id", event_id}, {"schema-version", schema_version}}};
}

/// Its document, as it is everywhere, between what it is and more about it. The
/// lists of jobs are left out: each has a record of its own.
outgoing_record batch_record(const std::string& topic, const ended_batch& x) {
  json out{{"event_id", x.event_id}, {"kind", "batch"}};
  auto document = document_of(x.row, {});
  document.erase("failed_jobs");
  document.erase("successful_jobs");
  out.update(document);
  out["note"] = x.row.status.note;
  out["pipeline"] = x.row.info.pipeline;
  out["source"] = x.row.info.source;
  out["type"] = x.row.info.type;
  out["file_name"] = x.row.info.file_name;
  out["title"] = x.row.info.title;
  return work_record(topic, x.row.user, x.event_id, out);
}

/// The stage in the queue's name, which begins with that of the pipeline.
std::string stage_in(const std::string& queue, const std::string& pipeline) {
  return queue.starts_with(pipeline + '.') ? queue.substr(pipeline.size() + 1)
                                           : queue;
}

outgoing_record job_record(const std::string& topic, const ended_job& x) {
  json out{{"event_id", x.event_id}, {"kind", "job"}};
  out.update(document_of(x.row));
  out["batch_uuid"] = x.batch_uuid;
  out["pipeline"] = x.row.info.pipeline;
  out["stage"] = stage_in(x.stage_queue, x.row.info.pipeline);
  out["file_name"] = x.row.info.file_name;
  out["title"] = x.row.facts.title;
  out["created_at"] = x.row.created_us == never
                        ? json(nullptr)
                        : json(format_utc(x.row.created_us));
  return work_record(topic, x.row.user, x.event_id, out);
}

} // namespace

bool leave_out_document(outgoing_record& x) {
  // Headers of a dead letter begin alike, and its value is somebody else's.
  if (!x.has_value || x.headers.size() < 2 || x.headers[0].name != "event-id"
      || x.headers[1].name != "schema-version"
      || (x.headers.size() > 2 && x.headers[2].name != traceparent_header))
    return false;
  auto value = json::parse(x.value, nullptr, false);
  if (!value.is_object())
    return false;
  const auto document = value.find(document_name);
  if (document == value.end() || !document->is_string())
    return false;
  const auto bytes = document->get_ref<const std::string&>().size();
  value.erase(document);
  value[omitted_name] = bytes;
  x.value = json_text(value);
  return true;
}

record_format make_record_format(record_format_options options) {
  record_format out{
    .read =
      [options](const source_record& x) {
        return kafka::read_ingress(options, x);
      },
    .write_outcome =
      [topic = options.egress_topic](const outcome_event& x) {
        return outcome_record(topic, x);
      },
    .write_dead_letter =
      [topic = options.dead_letter_topic](const dead_letter& x) {
        return kafka::write_dead_letter(topic, x);
      }};
  if (options.jobs_topic.empty())
    return out;
  out.write_batch = [topic = options.jobs_topic](const ended_batch& x) {
    return batch_record(topic, x);
  };
  out.write_job = [topic = options.jobs_topic](const ended_job& x) {
    return job_record(topic, x);
  };
  return out;
}

} // namespace depositd
