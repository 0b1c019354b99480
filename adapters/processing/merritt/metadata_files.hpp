#pragma once

// Files with a meaning inside a payload: what Merritt reads and adds. Texts are
// UTF-8, with a byte order mark or without.

#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd::merritt {

inline constexpr std::size_t metadata_bytes_max = 1024 * 1024;

/// Who made what, and when: `mrt-erc.txt`.
struct kernel_metadata {
  std::string who;
  std::string what;
  std::string when;
  std::string primary_identifier;     ///< the first `where` that is an ARK
  std::vector<std::string> local_ids; ///< the other ones

  friend bool operator==(const kernel_metadata&,
                         const kernel_metadata&) = default;
};

/// Reads "name: value" lines (ANVL: blanks at the beginning continue a value, #
/// begins a comment). Values of one name are joined with "; "; what begins with
/// "(:", is no value. `ec::malformed` with the line, `ec::too_large`.
caf::expected<kernel_metadata> read_erc(std::string_view text);

/// The same as a file; values without a word are "(:unas)".
std::string write_erc(const kernel_metadata& x);

/// Until when nobody may see it.
struct embargo {
  bool none = true; ///< NONE, or nothing was said
  micros until_us = never;
};

/// The key `embargoEndDate`: NONE, or a date. `ec::malformed` if it is neither,
/// or if there is no such key.
caf::expected<embargo> read_embargo(std::string_view text);

/// Paths to delete in an update, each under "producer/", without repetitions.
/// `ec::malformed` names a path that leaves the object.
caf::expected<std::vector<std::string>> read_delete_list(std::string_view text);

/// Values of the 15 elements of Dublin Core in their order, by name.
using dublin_core = std::vector<std::pair<std::string, std::string>>;

/// Whether there is an element of this name.
bool is_dublin_core(std::string_view element);

/// Reads `mrt-dc.xml`: every element of the Dublin Core namespace, wherever it
/// is. `ec::malformed` and `ec::too_large` as the XML reader says.
caf::expected<dublin_core> read_dublin_core(const std::string& text);

/// The document of these values.
std::string write_dublin_core(const dublin_core& x);

} // namespace depositd::merritt
