#include "actors/operators/documents.hpp"

#include "messages/values/time_text.hpp"
#include "messages/values/words.hpp"

#include <algorithm>

namespace depositd::operators {

std::string to_text(const document& x) {
  return x.dump(-1, ' ', false, document::error_handler_t::replace);
}

std::string shown(const std::string& text) {
  return document(text.substr(0, 100))
    .dump(-1, ' ', true, document::error_handler_t::replace);
}

document cap_or_null(std::uint64_t value) {
  return value >= no_cap ? document(nullptr) : document(value);
}

document text_or_null(const std::string& x) {
  return x.empty() ? document(nullptr) : document(x);
}

std::string without_login(std::string address) {
  const auto scheme = address.find("://");
  if (scheme == address.npos)
    return address;
  const auto begin = scheme + 3;
  const auto end =
    std::min(address.find_first_of("/?#", begin), address.size());
  const auto at = address.rfind('@', end);
  if (at != address.npos && at >= begin && at < end)
    address.replace(begin, at - begin, "***");
  return address;
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
