#pragma once

// Names of files inside a payload, as strangers give them.

#include <cstddef>
#include <string>
#include <string_view>

namespace depositd {

inline constexpr std::size_t payload_path_bytes_max = 2'048;
inline constexpr std::size_t payload_path_depth_max = 64;

/// Why the path must not be used below a folder, empty if it may: relative,
/// UTF-8, '/' between parts, nothing that climbs, hides or is a device
/// somewhere.
std::string payload_path_fault(std::string_view path);

/// Whether a part of a path is "..", also with '\' between its own parts.
bool climbs(std::string_view part);

/// The same for paths that are one for a reader who ignores case and how
/// accents are composed.
std::string collision_key(std::string_view path);

} // namespace depositd
