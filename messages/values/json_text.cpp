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

std::string indented_json_text(const ordered_json& x) {
  return text_of(x, 1, false);
}

json json_of(std::string_view text) {
  return json::parse(text, nullptr, false);
}

ordered_json ordered_json_of(std::string_view text) {
  return ordered_json::parse(text, nullptr, false);
}

json json_of(std::string_view text, const json::parser_callback_t& look) {
  return json::parse(text, look, false);
}

bool is_json(std::string_view text) {
  return json::accept(text);
}

json sound_json_of(std::string_view text) {
  return json::parse(text);
}

} // namespace depositd
