#pragma once

// Limits of a document, checked before a parser sees it: some parsers take
// quadratic time before they notice.

#include "messages/values/errors.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace depositd::crossref {

/// What a document may cost. All counts are inclusive.
struct xml_limits {
  std::size_t bytes_max = 10 * 1024 * 1024; ///< below 1 GiB
  std::size_t depth_max = 256;             ///< nested elements
  std::size_t attributes_max = 1000;       ///< of one element
  std::size_t namespaces_max = 256;        ///< declarations in scope at once
  std::size_t text_max = 10 * 1024 * 1024; ///< bytes of one text node
};

/// Checks depth, attributes and namespaces of UTF-8 text without parsing it;
/// text that is not well formed may pass. `ec::too_large` names the limit.
caf::error check_xml_limits(std::string_view text, const xml_limits& limits);

/// "line 3, column 7: what" for an offset into the text.
std::string at_offset(std::string_view text, std::size_t offset,
                      std::string_view what);

} // namespace depositd::crossref
