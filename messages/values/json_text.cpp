#include "messages/values/json_text.hpp"

namespace depositd {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr auto in_one_line = -1;

template <class Json>
std::string text_of(const Json& x, int indent, bool ascii) {
  return x.dump(indent, ' ', ascii, Json::error_handler_t::replace);
}

/// Counts brackets, which is all there is to levels where the text is JSON;
/// what is none is left to the parser.
bool has_too_many_levels(std::string_view text) {
  std::size_t levels = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = text[at];
    if (quoted && byte == '\\')
      ++at;
    else if (byte == '"')
      quoted = !quoted;
    else if (!quoted && (byte == '[' || byte == '{')) {
      if (++levels > json_levels_max)
        return true;
    } else if (!quoted && levels > 0 && (byte == ']' || byte == '}'))
      --levels;
  }
  return false;
}

template <class Json>
Json read(std::string_view text) {
  if (has_too_many_levels(text))
    return Json::value_t::discarded;
  return Json::parse(text, nullptr, false);
}

} // namespace

std::string json_text(const json& x) {
  return text_of(x, in_one_line, false);
}

std::string json_text(const ordered_json& x) {
  return text_of(x, in_one_line, false);
}

std::string ascii_json_text(const json& x) {
  return text_of(x, in_one_line, true);
}

std::string ascii_json_text(const ordered_json& x) {
  return text_of(x, in_one_line, true);
}

std::string indented_json_text(const json& x) {
  return text_of(x, 1, false);
}

json json_of(std::string_view text) {
  return read<json>(text);
}

ordered_json ordered_json_of(std::string_view text) {
  return read<ordered_json>(text);
}

json json_of(std::string_view text, const json::parser_callback_t& look) {
  if (has_too_many_levels(text))
    return json::value_t::discarded;
  return json::parse(text, look, false);
}

bool is_json(std::string_view text) {
  return json::accept(text);
}

json sound_json_of(std::string_view text) {
  if (has_too_many_levels(text))
    throw json::parse_error::create(101, 0, "nested too deeply", nullptr);
  return json::parse(text);
}

} // namespace depositd
