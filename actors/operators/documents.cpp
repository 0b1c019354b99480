#include "actors/operators/documents.hpp"

#include "messages/values/json_text.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/words.hpp"

namespace depositd::operators {

std::string to_text(const document& x) {
  return json_text(x);
}

std::string shown(const std::string& text) {
  return ascii_json_text(document(text.substr(0, 100)));
}

document cap_or_null(std::uint64_t value) {
  return value >= no_cap ? document(nullptr) : document(value);
}

document text_or_null(const std::string& x) {
  return x.empty() ? document(nullptr) : document(x);
}

document time_or_null(micros at) {
  return at == never ? document(nullptr) : document(format_utc(at));
}

document settings_document(const std::string& queue, const queue_settings& x) {
  return {{"name", queue},
          {"kind", word(x.kind)},
          {"suspended", x.suspended},
          {"allocation", x.allocation},
          {"concurrency", cap_or_null(x.concurrency)},
          {"pending_limit", cap_or_null(x.pending_limit)},
          {"priority_mode", word(x.priority)},
          {"dedup", word(x.dedup)},
          {"attempts_max", cap_or_null(x.attempts_max)},
          {"retry_delay_ms", x.retry_delay_ms},
          {"retry_delay_ms_max", x.retry_delay_ms_max}};
}

document queue_document(const queue_report& x) {
  auto out = settings_document(x.name, x.settings);
  out["ready"] = x.ready;
  out["in_flight"] = x.in_flight;
  out["users"] = x.users;
  out["eligible_users"] = x.eligible_users;
  out["processors"] = x.processors;
  out["handed_out"] = x.handed_out;
  out["finished"] = x.finished;
  return out;
}

} // namespace depositd::operators
