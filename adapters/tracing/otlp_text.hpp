#pragma once

// Spans in the JSON form of OpenTelemetry's protocol.

#include "messages/values/spans.hpp"

#include <string>
#include <vector>

namespace depositd {

/// Who sends them.
struct span_resource {
  std::string service = "depositd";
  std::string instance; ///< empty: left out
  std::string version;  ///< likewise
};

/// An ExportTraceServiceRequest. Bytes that are no UTF-8 are replaced.
std::string otlp_text(const std::vector<span>& spans,
                      const span_resource& from);

} // namespace depositd
