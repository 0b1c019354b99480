#pragma once

// Small rules about the texts that deposits and queries are made of.

#include "messages/values/blanks.hpp"

#include <string>
#include <string_view>

namespace depositd::crossref {

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Why this is not a DOI (10.NNNN/suffix), or empty.
std::string doi_problem(std::string_view doi);

/// The part before the slash.
std::string doi_prefix(std::string_view doi);

/// ISSN and ISBN as they are stored and looked for: without hyphens and
/// blanks, an ISSN as NNNN-NNNX.
std::string normal_serial_number(std::string_view text);

/// The value of a name in the first line of a text upload,
/// "H: email=a@b.org;fromPrefix=10.1"; empty if it has none.
std::string header_value(std::string_view line, std::string_view name);

} // namespace depositd::crossref
