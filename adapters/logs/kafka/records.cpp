#include "adapters/logs/kafka/records.hpp"

#include "adapters/logs/kafka/ingress_record.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/trace_context.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace depositd {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* schema_version = "1";

/// Brokers take a megabyte by default, and JSON may double a text.
constexpr std::size_t document_bytes_max = 400'000;

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
    out["document"] = x.document;
  else
    out["document_omitted_bytes"] = x.document.size();
  return out;
}

outgoing_record outcome_record(const std::string& topic,
                               const outcome_event& x) {
  // A file name may be any bytes; what is not UTF-8 becomes U+FFFD.
  outgoing_record out{.topic = topic,
                      .key = x.user,
                      .value = outcome_document(x).dump(
                        -1, ' ', false, json::error_handler_t::replace),
                      .headers = {{"event-id", x.event_id},
                                  {"schema-version", schema_version}}};
  if (!x.submission.trace.empty())
    out.headers.push_back({traceparent_header, x.submission.trace});
  return out;
}

/// "topic/number" in two.
std::pair<std::string, std::string> origin(const std::string& partition) {
  const auto slash = partition.rfind('/');
  if (slash == std::string::npos)
    return {partition, ""};
  return {partition.substr(0, slash), partition.substr(slash + 1)};
}

/// The headers that a record came with, behind ours. One of a name of ours is
/// left out: a reader must be able to believe those.
void add_original(std::vector<record_header>& to, const record_rejected& from) {
  const auto ours = to.size();
  const auto is_ours = [&](const record_header& x) {
    return x.name == value_omitted_header
           || std::any_of(to.begin(),
                          to.begin() + static_cast<std::ptrdiff_t>(ours),
                          [&](const auto& y) { return y.name == x.name; });
  };
  for (const auto& x : from.headers)
    if (!is_ours(x))
      to.push_back(x);
}

/// A tombstone arrives here without bytes, and leaves as an empty value.
outgoing_record dead_letter_record(const std::string& topic,
                                   const dead_letter& x) {
  const auto [source, number] = origin(x.what.partition);
  outgoing_record out{
    .topic = topic,
    .key = x.what.key,
    .value = x.what.value,
    .headers = {{"event-id", x.event_id},
                {"schema-version", schema_version},
                {"source-topic", source},
                {"source-partition", number},
                {"source-offset", std::to_string(x.what.offset)},
                {"reason", x.what.reason}}};
  add_original(out.headers, x.what);
  return out;
}

} // namespace

record_format make_record_format(record_format_options options) {
  return {
    .read = [options](const source_record& x) {
      return kafka::read_ingress(options, x);
    },
    .write_outcome = [topic = options.egress_topic](const outcome_event& x) {
      return outcome_record(topic, x);
    },
    .write_dead_letter = [topic = options.dead_letter_topic](
                           const dead_letter& x) {
      return dead_letter_record(topic, x);
    }};
}

} // namespace depositd
