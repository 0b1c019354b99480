#include "adapters/bagit/paths.hpp"

#include "adapters/bagit/reading.hpp"
#include "messages/values/hex.hpp"
#include "messages/values/path_parts.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <array>

namespace depositd::bagit {

namespace {

constexpr std::size_t depth_max = 128;

const char* whole_fault(std::string_view path) {
  if (path.empty())
    return "is empty";
  if (path.size() > path_bytes_max)
    return "has more than 4096 bytes";
  if (path.find('\0') != path.npos)
    return "has a byte that is 0";
  if (find_invalid_utf8(path) != path.npos)
    return "is not UTF-8";
  if (is_absolute_path(path))
    return "is absolute";
  return path.front() == '~' ? "begins with ~" : nullptr;
}

/// Of "%0d" and the like, at the beginning; 0 if there is none.
char decoded(std::string_view rest, bool percent_too) {
  if (rest.size() < 3 || rest[0] != '%')
    return 0;
  const char second =
    rest[2] >= 'a' ? static_cast<char>(rest[2] - 'a' + 'A') : rest[2];
  if (rest[1] == '0' && second == 'A')
    return '\n';
  if (rest[1] == '0' && second == 'D')
    return '\r';
  return percent_too && rest[1] == '2' && second == '5' ? '%' : '\0';
}

/// What stands between a prefix and ".txt", or nothing.
std::string_view between(std::string_view path, std::string_view prefix) {
  constexpr std::string_view ending = ".txt";
  if (!path.starts_with(prefix) || !path.ends_with(ending)
      || path.size() <= prefix.size() + ending.size())
    return {};
  return path.substr(prefix.size(),
                     path.size() - prefix.size() - ending.size());
}

std::string_view algorithm_text(std::string_view path) {
  const auto tag = between(path, "tagmanifest-");
  return tag.empty() ? between(path, "manifest-") : tag;
}

} // namespace

std::string bag_path_fault(std::string_view path) {
  if (const auto* fault = whole_fault(path))
    return fault;
  return path_parts_fault(path, depth_max, &path_part_fault);
}

bool is_payload(std::string_view path) {
  return path.starts_with(payload_folder);
}

std::string listed_path_fault(std::string_view path, bool payload) {
  auto fault = bag_path_fault(path);
  if (fault.empty() && payload != is_payload(path))
    fault = payload ? "is not below data/" : "is payload, not a tag file";
  return fault;
}

std::string shown_path(std::string_view path) {
  std::string out;
  for (;;) {
    const auto bad = find_invalid_utf8(path);
    out += path.substr(0, bad);
    if (bad == path.npos)
      return out;
    out += "\\x";
    append_hex(out, path[bad]);
    path.remove_prefix(bad + 1);
  }
}

std::string encode_path(std::string_view path, bool percent_too) {
  std::string out;
  out.reserve(path.size());
  for (const char c : path) {
    if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (c == '%' && percent_too)
      out += "%25";
    else
      out += c;
  }
  return out;
}

std::string decode_path(std::string_view written, bool percent_too) {
  std::string out;
  out.reserve(written.size());
  while (!written.empty()) {
    const char found = decoded(written, percent_too);
    out += found ? found : written.front();
    written.remove_prefix(found ? 3 : 1);
  }
  return out;
}

bool matches_pattern(std::string_view pattern, std::string_view path) {
  // The last star, and how much it stands for so far.
  auto star = pattern.npos;
  std::size_t at = 0, taken = 0, i = 0;
  while (i < path.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      taken = i;
    } else if (at < pattern.size()
               && (pattern[at] == '?' || pattern[at] == path[i])) {
      ++at;
      ++i;
    } else if (star != pattern.npos) {
      at = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

bool is_system_file(std::string_view path) {
  static constexpr std::array<std::string_view, 4> names = {
    ".DS_Store", "Thumbs.db", "desktop.ini", "Desktop.ini"};
  const auto name = path.substr(path.rfind('/') + 1);
  return name.starts_with("._")
         || std::find(names.begin(), names.end(), name) != names.end();
}

file_kind kind_of_file(std::string_view path) {
  if (is_payload(path))
    return file_kind::payload;
  if (path == "bagit.txt")
    return file_kind::bagit_txt;
  if (path == "bag-info.txt")
    return file_kind::bag_info;
  if (path == "fetch.txt")
    return file_kind::fetch;
  if (path.find('/') == path.npos && !between(path, "tagmanifest-").empty())
    return file_kind::tag_manifest;
  if (path.find('/') == path.npos && !between(path, "manifest-").empty())
    return file_kind::manifest;
  return file_kind::tag_file;
}

std::optional<digest_algorithm> manifest_algorithm(std::string_view path) {
  const auto text = algorithm_text(path);
  return text == "sha224" ? digest_algorithm::sha224
                          : find_digest_algorithm(text);
}

} // namespace depositd::bagit
