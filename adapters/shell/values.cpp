#include "adapters/shell/values.hpp"

#include "adapters/shell/words.hpp"

#include "messages/values/errors.hpp"
#include "messages/values/time_text.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <filesystem>

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
    case value_kind::time: {
      const auto at = parse_utc(texts.back());
      if (!at)
        throw CLI::ValidationError(argument.spelling, render(at.error()));
      return *at;
    }
    case value_kind::names:
    case value_kind::users:
      return split_names(texts);
    case value_kind::each:
      return texts;
    case value_kind::folder:
      return std::filesystem::absolute(texts.back()).lexically_normal();
    default:
      return texts.back();
  }
}

} // namespace depositd::shell
