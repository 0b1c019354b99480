#pragma once

// The fields of a form, each where it belongs, and what they may look like.

#include "adapters/doors/http/form.hpp"
#include "messages/values/errors.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd::poster {

using text_pairs = std::vector<std::pair<std::string, std::string>>;

struct submission_fields {
  std::map<std::string, std::string, std::less<>> texts; ///< by known names
  text_pairs dublin_core; ///< names without the prefix
  std::vector<std::string> urls;
  std::vector<const http::form_part*> files; ///< in their order
  std::vector<std::string> warnings;         ///< of what nobody looks at

  /// Empty if the field is not given.
  const std::string& text(std::string_view name) const;
};

/// Of a field that occurs more than once the first counts. `ec::malformed`:
/// not UTF-8, a control character, or more text than may be.
caf::expected<submission_fields> sort_fields(const http::form& from);

/// ANVL lines as pairs of who, what, when and where. `ec::malformed`.
caf::expected<text_pairs> read_erc_pairs(const std::string& text);

} // namespace depositd::poster
