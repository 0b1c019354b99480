#pragma once

// Small text work of HTTP: decoding of targets and forms, header parameters,
// escaping for pages.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd::http {

/// Names with values in the order of arrival; names may repeat.
using parameters = std::vector<std::pair<std::string, std::string>>;

/// Replaces %XX by its byte; what is no such sequence stays as it is.
std::string percent_decode(std::string_view text);

/// The same, and '+' is a blank: the rule of query strings and forms.
std::string form_decode(std::string_view text);

/// `a=1&b=2` as sent, decoded by the rule of forms; not more than so many.
parameters parse_urlencoded(std::string_view text,
                            std::size_t count_max = std::string_view::npos);

/// The first value of this name; null if there is none.
const std::string* find(const parameters& where, std::string_view name);

/// Whether the text is a `token` of RFC 9110: a method, a header's name.
bool is_token(std::string_view text) noexcept;

/// Whether two header names or tokens are the same but for ASCII case.
bool same_token(std::string_view a, std::string_view b) noexcept;

/// A header value of the form `token; name=value; name="quoted"`.
struct header_value {
  std::string token; ///< lower case
  parameters fields; ///< names in lower case
};

/// Reads such a value. In quoted text only `\"` is an escape, because file
/// names may hold backslashes of their own.
header_value parse_header_value(std::string_view text);

/// The text for the content or an attribute of an HTML page.
std::string escape_html(std::string_view text);

/// One line for logs: control characters and quotes as \xNN, cut at 200 bytes.
std::string printable(std::string_view text);

} // namespace depositd::http
