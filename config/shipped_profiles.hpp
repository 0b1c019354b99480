#pragma once

// The BagIt profiles that are part of the program (config/profiles).

#include "adapters/bagit/profiles.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

namespace depositd {

struct shipped_profile {
  std::string_view file; ///< "btr.json"
  std::string_view text;
};

/// What config/profiles had when the program was built.
const std::vector<shipped_profile>& shipped_profiles();

/// Those that are shipped, and those of a folder if one is named.
/// `ec::bad_setting` names the file.
caf::expected<bagit::profile_set>
profiles_of(const std::filesystem::path& folder);

} // namespace depositd
