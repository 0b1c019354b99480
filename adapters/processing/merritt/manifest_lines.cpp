#include "adapters/processing/merritt/manifest_lines.hpp"

#include "messages/values/lower_case.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/utf8.hpp"

#include <array>
#include <utility>

namespace depositd::merritt {

namespace {

constexpr std::string_view registry = "http://uc3.cdlib.org/registry/";

constexpr std::array<std::pair<std::string_view, manifest_kind>, 7> profiles = {
  {
    {"ingest/manifest/mrt-ingest-manifest", manifest_kind::object},
    {"mrt/mrt-ingest-manifest", manifest_kind::object},
    {"ingest/manifest/mrt-batch-manifest", manifest_kind::batch_of_manifests},
    {"mrt/mrt-batch-manifest", manifest_kind::batch_of_manifests},
    {"ingest/manifest/mrt-container-batch-manifest",
     manifest_kind::batch_of_containers},
    {"ingest/manifest/mrt-single-file-batch-manifest",
     manifest_kind::batch_of_files},
    {"store/manifest/mrt-object-manifest", manifest_kind::contents},
  }};

/// "+02:00", "-0500" or "Z" at the end of a time, as minutes; what was read is
/// taken away.
std::optional<int> take_zone(std::string_view& time) {
  if (time.ends_with('Z')) {
    time.remove_suffix(1);
    return 0;
  }
  const auto sign = time.find_last_of("+-");
  if (sign == time.npos)
    return 0;
  std::string digits{time.substr(sign + 1)};
  if (digits.size() == 5 && digits[2] == ':')
    digits.erase(2, 1);
  if (digits.size() != 4
      || digits.find_first_not_of("0123456789") != digits.npos)
    return std::nullopt;
  const int number = std::stoi(digits);
  const int minutes = number / 100 * 60 + number % 100;
  if (number / 100 > 14 || number % 100 > 59)
    return std::nullopt;
  const bool east = time[sign] == '+';
  time.remove_suffix(time.size() - sign);
  return east ? minutes : -minutes;
}

} // namespace

std::string whole_text_fault(std::string_view text) {
  if (text.size() > manifest_bytes_max)
    return "the manifest has more than " + std::to_string(manifest_bytes_max)
           + " bytes";
  if (text.starts_with("\xef\xbb\xbf"))
    return "the manifest begins with a byte order mark";
  if (const auto at = find_invalid_utf8(text); at != text.npos) {
    std::uint64_t line = 1;
    for (const char c : text.substr(0, at))
      line += c == '\n' ? 1 : 0;
    return "line " + std::to_string(line) + " is not UTF-8";
  }
  return {};
}

std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  auto out = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  if (out.ends_with('\r'))
    out.remove_suffix(1);
  return out;
}

bool has_control_character(std::string_view line) {
  for (const unsigned char c : line)
    if ((c < 0x20 && c != '\t') || c == 0x7f)
      return true;
  return false;
}

std::vector<std::string_view> split_fields(std::string_view line) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto end = line.find('|');
    out.push_back(trimmed(line.substr(0, end)));
    if (end == line.npos)
      return out;
    line.remove_prefix(end + 1);
  }
}

bool is_end(std::string_view header) {
  return same_but_for_case(header, "#%eof");
}

std::string decode_field(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = text.substr(i, 3);
    const bool bar = code == "%7c" || code == "%7C";
    out += bar ? '|' : code == "%20" ? ' ' : text[i];
    i += bar || code == "%20" ? 2 : 0;
  }
  return out;
}

std::optional<manifest_kind> find_profile(std::string_view profile) {
  if (!profile.starts_with(registry))
    return std::nullopt;
  profile.remove_prefix(registry.size());
  for (const auto& [name, kind] : profiles)
    if (name == profile)
      return kind;
  return std::nullopt;
}

std::optional<micros> read_manifest_date(std::string_view text) {
  constexpr std::size_t day = 10;
  constexpr std::size_t minute = 16;
  auto time = text.size() > day ? text.substr(day) : std::string_view{};
  const auto zone = take_zone(time);
  if (!zone)
    return std::nullopt;
  auto plain = std::string{text.substr(0, day)} + std::string{time};
  // A fraction of a minute is read and forgotten.
  if (plain.size() > minute && plain[minute] == '.') {
    if (plain.find_first_not_of("0123456789", minute + 1) != plain.npos)
      return std::nullopt;
    plain.resize(minute);
  }
  const auto at = parse_utc(plain);
  if (!at)
    return std::nullopt;
  return *at - micros{*zone} * 60'000'000;
}

} // namespace depositd::merritt
