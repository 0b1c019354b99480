#include "adapters/shell/values.hpp"

#include "adapters/shell/words.hpp"

#include "messages/values/clock.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/time_text.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

namespace depositd::shell {

nlohmann::json read_number(const std::string& spelling,
                           const std::string& text) {
  std::uint64_t out = 0;
  const auto end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, out);
  if (text.empty() || stop != end || failure != std::errc{}
      || out > std::uint64_t{argument_number_max})
    throw CLI::ValidationError(spelling, "must be a number, not " + text);
  return out;
}

namespace {

constexpr micros day_us = micros{24} * 3600 * 1'000'000;

/// As the engine has to know it, which stands in another folder.
std::string folder_of(const std::string& spelling, const std::string& text) {
  std::error_code code;
  const auto out = std::filesystem::absolute(text, code);
  if (text.empty() || code)
    throw CLI::ValidationError(spelling, "must be a folder");
  return out.lexically_normal();
}

/// Of "90d"; nothing if it is something else.
std::optional<micros> read_days(const std::string& text) {
  std::uint32_t days = 0;
  const auto end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, days);
  if (failure != std::errc{} || stop + 1 != end || *stop != 'd' || days == 0
      || days > 36'500)
    return std::nullopt;
  return days;
}

nlohmann::json read_bytes(const std::string& spelling,
                          const std::string& text) {
  constexpr std::string_view units = "kmg";
  const auto unit = text.empty() ? units.npos : units.find(text.back());
  if (unit == units.npos)
    return read_number(spelling, text);
  const auto shift = 10 * (unit + 1);
  const auto number =
    read_number(spelling, text.substr(0, text.size() - 1)).get<std::uint64_t>();
  if (number > (std::uint64_t{argument_number_max} >> shift))
    throw CLI::ValidationError(spelling, "is too large: " + text);
  return number << shift;
}

} // namespace

nlohmann::json read_value(const argument_spec& argument,
                          const std::vector<std::string>& texts) {
  switch (argument.kind) {
    case value_kind::number:
      return read_number(argument.spelling, texts.back());
    case value_kind::limit:
    case value_kind::limit_or_default:
      if (texts.back() == "none" || texts.back() == "default")
        return texts.back();
      return read_number(argument.spelling, texts.back());
    case value_kind::expiry:
      if (const auto days = read_days(texts.back()))
        return engine_clock::system().now() + *days * day_us;
      [[fallthrough]];
    case value_kind::time: {
      const auto at = parse_utc(texts.back());
      if (!at)
        throw CLI::ValidationError(argument.spelling, render(at.error()));
      return *at;
    }
    case value_kind::bytes:
      if (texts.back() == "none" || texts.back() == "default")
        return texts.back();
      return read_bytes(argument.spelling, texts.back());
    case value_kind::names:
    case value_kind::users:
      return split_names(texts);
    case value_kind::each:
      return texts;
    case value_kind::folder:
      return folder_of(argument.spelling, texts.back());
    default:
      return texts.back();
  }
}

} // namespace depositd::shell
