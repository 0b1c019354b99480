#pragma once

// JSON to and from text. The library's reader and writer are templates: this is
// the one place that compiles them.

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace depositd {

/// In one line. What is no UTF-8 becomes U+FFFD; never throws for it.
std::string json_text(const nlohmann::json& x);
std::string json_text(const nlohmann::ordered_json& x);

/// The same, with `\u` for whatever is not ASCII.
std::string ascii_json_text(const nlohmann::json& x);
std::string ascii_json_text(const nlohmann::ordered_json& x);

/// A line for each member, indented by one.
std::string indented_json_text(const nlohmann::json& x);

/// Arrays and objects in each other that a text may have to be read: documents
/// are copied, merged and written level by level on a thread's small stack.
inline constexpr std::size_t json_levels_max = 256;

/// Discarded (`is_discarded`) if the text is no JSON, or has too many levels.
nlohmann::json json_of(std::string_view text);
nlohmann::ordered_json ordered_json_of(std::string_view text);

/// The same; `look` sees each part and may leave it out.
nlohmann::json json_of(std::string_view text,
                       const nlohmann::json::parser_callback_t& look);

/// Whether the text is JSON; makes nothing of it.
bool is_json(std::string_view text);

/// Throws `nlohmann::json::parse_error` where the others discard.
nlohmann::json sound_json_of(std::string_view text);

} // namespace depositd
