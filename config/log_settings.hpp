#pragma once

// What an engine tells of itself, and where.

#include <string>

namespace depositd {

struct log_settings {
  std::string level = "info";  ///< trace, debug, info, warn, error
  std::string format = "text"; ///< text, json

  friend bool operator==(const log_settings&, const log_settings&) = default;
};

/// Where spans go.
struct trace_settings {
  std::string endpoint; ///< "http://HOST:4318"; empty: nowhere
  std::string ca;       ///< file of its authority; empty: the system's

  friend bool operator==(const trace_settings&,
                         const trace_settings&) = default;
};

} // namespace depositd
