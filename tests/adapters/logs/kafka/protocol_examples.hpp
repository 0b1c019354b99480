#pragma once

// The records that docs/PROTOCOL.md shows.

#include <fstream>
#include <map>
#include <string>

namespace depositd::testing {

/// By kind: "ingress", "refused", "egress", "batch", ...
inline std::multimap<std::string, std::string> examples() {
  std::multimap<std::string, std::string> out;
  std::ifstream file{DEPOSITD_PROTOCOL};
  const std::string fence = "```json ";
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(fence))
      continue;
    const auto kind = line.substr(fence.size());
    std::string text;
    while (std::getline(file, line) && line != "```")
      text += line + "\n";
    out.emplace(kind, text);
  }
  return out;
}

} // namespace depositd::testing
