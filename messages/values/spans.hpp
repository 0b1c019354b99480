#pragma once

// What tracing tells of: pieces of time with a name.

#include "messages/values/types.hpp"

#include <string>
#include <utility>
#include <vector>

namespace depositd {

/// The numbers are those of OpenTelemetry.
enum class span_kind : std::uint8_t { internal = 1, server = 2, producer = 4 };

struct span {
  std::string trace;  ///< 32 hexadecimal digits
  std::string id;     ///< 16
  std::string parent; ///< 16, or empty
  std::string name;
  span_kind kind = span_kind::internal;
  micros start_us = never;
  micros end_us = never;
  bool failed = false;
  std::string reason; ///< of what failed, for people
  std::vector<std::pair<std::string, std::string>> attributes;

  friend bool operator==(const span&, const span&) = default;
};

} // namespace depositd
