#include "adapters/tracing/otlp_text.hpp"

#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

namespace depositd {

namespace {

using json = nlohmann::json;

constexpr int status_error = 2;

json attribute(const std::string& key, const std::string& value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}

/// 64-bit numbers are texts in this form of JSON.
std::string nanoseconds(micros x) {
  return std::to_string(x) + "000";
}

json written(const span& x) {
  json out = {{"traceId", x.trace},
              {"spanId", x.id},
              {"name", x.name},
              {"kind", static_cast<int>(x.kind)},
              {"startTimeUnixNano", nanoseconds(x.start_us)},
              {"endTimeUnixNano", nanoseconds(x.end_us)},
              {"attributes", json::array()}};
  if (!x.parent.empty())
    out["parentSpanId"] = x.parent;
  for (const auto& [key, value] : x.attributes)
    if (!value.empty())
      out["attributes"].push_back(attribute(key, value));
  if (x.failed)
    out["status"] = {{"code", status_error}, {"message", x.reason}};
  return out;
}

} // namespace

std::string otlp_text(const std::vector<span>& spans,
                      const span_resource& from) {
  auto about = json::array({attribute("service.name", from.service)});
  if (!from.instance.empty())
    about.push_back(attribute("service.instance.id", from.instance));
  if (!from.version.empty())
    about.push_back(attribute("service.version", from.version));
  auto all = json::array();
  for (const auto& x : spans)
    all.push_back(written(x));
  const json scope = {{"scope", {{"name", "depositd"}}},
                      {"spans", std::move(all)}};
  const json out = {
    {"resourceSpans",
     json::array({json{{"resource", {{"attributes", std::move(about)}}},
                       {"scopeSpans", json::array({scope})}}})}};
  return json_text(out);
}

} // namespace depositd
