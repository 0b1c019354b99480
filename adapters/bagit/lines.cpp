#include "adapters/bagit/lines.hpp"

#include "adapters/bagit/paths.hpp"
#include "messages/values/blanks.hpp"
#include "messages/values/lower_case.hpp"
#include "messages/values/utf8.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace depositd::bagit {

namespace {

constexpr std::string_view blanks = " \t";

caf::error malformed(std::string text) {
  return caf::make_error(ec::malformed, std::move(text));
}

/// The next word and what follows the blanks behind it.
std::pair<std::string_view, std::string_view> split(std::string_view text) {
  const auto end = std::min(text.find_first_of(blanks), text.size());
  const auto next = std::min(text.find_first_not_of(blanks, end), text.size());
  return {text.substr(0, end), text.substr(next)};
}

bool take_number(std::string_view text, std::uint64_t& out) {
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  return !text.empty() && read.ec == std::errc{} && read.ptr == end;
}

bool drop_dots(std::string_view& path) {
  bool dotted = false;
  while (path.starts_with("./")) {
    path.remove_prefix(2);
    dotted = true;
  }
  return dotted;
}

/// Digits of the algorithm's number, in lower case.
caf::expected<digest> digest_of(digest_algorithm algorithm,
                                std::string_view hex) {
  if (algorithm != digest_algorithm::sha224)
    return make_digest(digest_name(algorithm), hex);
  // That name is not one of `make_digest`.
  digest out{algorithm, lower_case(hex)};
  if (hex.size() != digest_digits(algorithm)
      || out.value.find_first_not_of("0123456789abcdef") != hex.npos)
    return malformed("that is no sha-224");
  return out;
}

} // namespace

std::vector<std::string> values_of(const std::vector<tag>& tags,
                                   std::string_view label) {
  std::vector<std::string> out;
  for (const auto& x : tags)
    if (same_but_for_case(x.label, label))
      out.push_back(x.value);
  return out;
}

std::string value_of(const std::vector<tag>& tags, std::string_view label) {
  auto values = values_of(tags, label);
  return values.empty() ? std::string{} : std::move(values.front());
}

caf::expected<manifest_line> read_manifest_line(std::string_view line,
                                                digest_algorithm algorithm,
                                                bool percent_too) {
  auto [hex, path] = split(line);
  if (path.empty())
    return malformed("a digest and a name were expected");
  auto value = digest_of(algorithm, hex);
  if (!value)
    return std::move(value.error());
  manifest_line out;
  out.value = std::move(*value);
  // No file of a bag begins so: payload is below data/.
  out.binary = path.front() == '*';
  if (out.binary)
    path.remove_prefix(1);
  out.dotted = drop_dots(path);
  out.path = decode_path(path, percent_too);
  return out;
}

caf::expected<fetch_line> read_fetch_line(std::string_view line,
                                          bool percent_too) {
  const auto [url, rest] = split(line);
  auto [length, path] = split(rest);
  fetch_line out;
  std::uint64_t bytes = 0;
  if (path.empty())
    return malformed("a URL, a length and a name were expected");
  if (length != "-" && !take_number(length, bytes))
    return malformed("a length was expected, or -");
  if (length != "-")
    out.bytes = bytes;
  out.url = url;
  drop_dots(path);
  out.path = decode_path(path, percent_too);
  return out;
}

caf::expected<declaration> read_declaration(std::string_view text) {
  static constexpr std::array<std::string_view, 2> labels = {
    "BagIt-Version", "Tag-File-Character-Encoding"};
  if (text.starts_with("\xef\xbb\xbf"))
    return malformed("begins with a byte order mark");
  if (find_invalid_utf8(text) != text.npos)
    return malformed("is not UTF-8");
  std::array<std::string, 2> values;
  declaration out;
  std::size_t count = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of("\r\n"), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(end);
    if (!text.empty())
      text.remove_prefix(text.starts_with("\r\n") ? 2 : 1);
    const auto colon = line.find(':');
    if (count >= labels.size()) {
      if (!trimmed(line).empty())
        out.odd = "has more than two lines";
      continue;
    }
    const auto label = trimmed(line.substr(0, colon));
    if (colon == line.npos || !same_but_for_case(label, labels[count]))
      return malformed("line " + std::to_string(count + 1) + " must be "
                       + std::string{labels[count]});
    if (line.substr(0, colon) != labels[count])
      out.odd = "has a label that is not written as it must be";
    else if (line.substr(colon + 1, 1) != " "
             || line.substr(colon + 2) != trimmed(line.substr(colon + 1)))
      out.odd = "has not one blank after a colon, or has some at an end";
    values[count++] = trimmed(line.substr(colon + 1));
  }
  if (count < labels.size())
    return malformed("has no " + std::string{labels[count]});
  out.version = values[0];
  out.encoding = values[1];
  return out;
}

std::optional<oxum> read_oxum(std::string_view text) {
  const auto dot = text.find('.');
  oxum out;
  if (dot == text.npos || !take_number(text.substr(0, dot), out.bytes)
      || !take_number(text.substr(dot + 1), out.files))
    return std::nullopt;
  return out;
}

bool tag_reader::add(std::string_view line) {
  if (trimmed(line).empty())
    return true;
  if (blanks.find(line.front()) != blanks.npos) {
    if (tags.empty())
      return false;
    auto& value = tags.back().value;
    value += value.empty() ? "" : " ";
    value += trimmed(line);
    return true;
  }
  const auto colon = line.find(':');
  const auto label = trimmed(line.substr(0, std::min(colon, line.size())));
  if (colon == line.npos || label.empty())
    return false;
  tags.push_back(
    {std::string{label}, std::string{trimmed(line.substr(colon + 1))}});
  return true;
}

} // namespace depositd::bagit
