#pragma once

// What every rule about paths of strangers looks at. Faults are ends of
// sentences about a path.

#include "messages/values/payload_paths.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace depositd {

/// Whether a path is absolute, on Windows too.
inline bool is_absolute_path(std::string_view path) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return path.starts_with('/') || path.starts_with('\\')
         || (path.size() > 1 && path[1] == ':' && is_letter(path[0]));
}

/// Why a part must not be in any path; null: it may.
inline const char* path_part_fault(std::string_view part) {
  constexpr std::size_t bytes_max = 255;
  if (part.empty())
    return "has an empty part";
  if (part == "." || climbs(part))
    return "has a part that is . or ..";
  return part.size() > bytes_max ? "has a part of more than 255 bytes"
                                 : nullptr;
}

/// The first fault that `fault_of` finds in a part of the path, or that it has
/// too many of them; empty: none.
template <class F>
std::string path_parts_fault(std::string_view path, std::size_t depth_max,
                             F fault_of) {
  for (std::size_t depth = 1;; ++depth) {
    const auto end = path.find('/');
    if (const char* fault = fault_of(path.substr(0, end)))
      return fault;
    if (depth > depth_max)
      return "is too deep";
    if (end == path.npos)
      return {};
    path.remove_prefix(end + 1);
  }
}

} // namespace depositd
