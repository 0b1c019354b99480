#include "actors/rules/sources/settings.hpp"
#include "actors/rules/sources/setting_table.hpp"

#include <charconv>
#include <limits>

namespace depositd::rules {

namespace {

constexpr std::size_t setting_bytes_max = 64 * 1024;
constexpr auto largest = std::numeric_limits<std::uint64_t>::max();

caf::error refused(std::string setting, const std::string& reason) {
  return caf::make_error(ec::bad_setting, std::move(setting) + ": " + reason);
}

template <class Settings>
caf::error set_line(const setting_line<Settings>& line, Settings& x,
                    const std::string& prefix, const std::string& text) {
  const auto name = prefix + std::string{line.name};
  if (text.size() > setting_bytes_max || text.find('\0') != text.npos)
    return refused(name, "longer than 64 KiB, or has a zero byte");
  if (line.text) {
    line.text(x) = text;
    return {};
  }
  if (!line.word.empty() && text == line.word) {
    line.number(x) = largest;
    return {};
  }
  std::uint64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [at, why] = std::from_chars(text.data(), end, number);
  if (text.empty() || why != std::errc{} || at != end || number < line.least
      || number > line.most)
    return refused(
      name, "expected a whole number from " + std::to_string(line.least)
              + " to " + std::to_string(line.most)
              + (line.word.empty() ? "" : " or " + std::string{line.word})
              + ", not \"" + text.substr(0, 64) + "\"");
  line.number(x) = number;
  return {};
}

template <class Settings>
std::string line_text(const setting_line<Settings>& line, Settings x) {
  if (line.text)
    return line.text(x);
  const auto number = line.number(x);
  return number == largest ? std::string{line.word} : std::to_string(number);
}

template <class Lines>
std::vector<std::string> names_of(const Lines& lines) {
  std::vector<std::string> out;
  for (const auto& line : lines)
    out.emplace_back(line.name);
  return out;
}

template <class Lines>
auto find_line(const Lines& lines, std::string_view name) ->
  typename Lines::const_pointer {
  for (const auto& line : lines)
    if (line.name == name)
      return &line;
  return nullptr;
}

} // namespace

std::vector<std::string> source_setting_names() {
  return names_of(source_lines);
}

std::vector<std::string> scheduler_setting_names() {
  return names_of(scheduler_lines);
}

caf::error set_setting(source_settings& x, const std::string& source,
                       std::string_view setting, const std::string& text) {
  const auto prefix = "sources." + source + ".";
  const auto name = prefix + std::string{setting.substr(0, 64)};
  const auto* line = find_line(source_lines, setting);
  if (!line)
    return refused(name, "there is no such setting");
  if (setting == "kind") {
    const auto kind = find_source_kind(text);
    if (!kind)
      return refused(name, "expected sql, sqs, kafka, s3, folder, queue or "
                           "exec, not \""
                             + text.substr(0, 64) + "\"");
    x.kind = *kind;
    return {};
  }
  if (setting == "ends") {
    if (text != "true" && text != "false")
      return refused(name, "expected true or false, not \"" + text.substr(0, 64)
                             + "\"");
    x.ends = text == "true";
    return {};
  }
  if (setting == "cursor_start")
    x.from.has_cursor_start = true;
  return set_line(*line, x, prefix, text);
}

caf::error set_setting(scheduler_settings& x, const std::string& scheduler,
                       std::string_view setting, const std::string& text) {
  const auto prefix = "schedulers." + scheduler + ".";
  const auto* line = find_line(scheduler_lines, setting);
  if (!line)
    return refused(prefix + std::string{setting.substr(0, 64)},
                   "there is no such setting");
  return set_line(*line, x, prefix, text);
}

std::string setting_text(const source_settings& x, std::string_view setting) {
  if (setting == "kind")
    return to_string(x.kind);
  if (setting == "ends")
    return x.ends ? "true" : "false";
  const auto* line = find_line(source_lines, setting);
  return line ? line_text(*line, x) : std::string{};
}

std::string setting_text(const scheduler_settings& x,
                         std::string_view setting) {
  const auto* line = find_line(scheduler_lines, setting);
  return line ? line_text(*line, x) : std::string{};
}

} // namespace depositd::rules
