#include "messages/values/payload_paths.hpp"

#include "messages/values/lower_case.hpp"
#include "messages/values/path_parts.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include <unicase.h>
#include <uninorm.h>

namespace depositd {

namespace {

std::string upper(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

/// Devices on Windows, with or without an ending.
bool is_device(std::string_view part) {
  static constexpr std::array<std::string_view, 4> plain = {"CON", "PRN", "AUX",
                                                            "NUL"};
  const auto stem = upper(part.substr(0, part.find('.')));
  if (std::find(plain.begin(), plain.end(), stem) != plain.end())
    return true;
  return stem.size() == 4 && stem[3] >= '1' && stem[3] <= '9'
         && (stem.starts_with("COM") || stem.starts_with("LPT"));
}

const char* part_fault(std::string_view part) {
  if (const auto* fault = path_part_fault(part))
    return fault;
  if (part.back() == '.')
    return "has a part that ends with a dot";
  if (is_device(part))
    return "has a part that is the name of a device";
  return nullptr;
}

const char* whole_fault(std::string_view path) {
  if (path.empty())
    return "is empty";
  if (path.size() > payload_path_bytes_max)
    return "has more than 2048 bytes";
  if (find_invalid_utf8(path) != path.npos)
    return "is not UTF-8";
  for (const unsigned char c : path)
    if (c < 0x20 || c == 0x7f)
      return "has a control character";
  if (is_absolute_path(path))
    return "is absolute";
  if (path.front() == '~' && path.find('/') != path.npos)
    return "begins with ~";
  return nullptr;
}

} // namespace

bool climbs(std::string_view part) {
  for (;;) {
    const auto end = part.find('\\');
    if (part.substr(0, end) == "..")
      return true;
    if (end == part.npos)
      return false;
    part.remove_prefix(end + 1);
  }
}

std::string payload_path_fault(std::string_view path) {
  if (const auto* fault = whole_fault(path))
    return fault;
  return path_parts_fault(path, payload_path_depth_max, &part_fault);
}

std::string collision_key(std::string_view path) {
  // Most names; what Unicode would say of them as well.
  if (std::all_of(path.begin(), path.end(),
                  [](unsigned char c) { return c < 0x80; }))
    return lower_case(path);
  std::size_t size = 0;
  const std::unique_ptr<std::uint8_t, decltype(&std::free)> folded{
    u8_casefold(reinterpret_cast<const std::uint8_t*>(path.data()), path.size(),
                nullptr, UNINORM_NFC, nullptr, &size),
    &std::free};
  return folded ? std::string{reinterpret_cast<const char*>(folded.get()), size}
                : std::string{path};
}

} // namespace depositd
