#include "config/shipped_profiles.hpp"

#include <utility>

namespace depositd {

caf::expected<bagit::profile_set>
profiles_of(const std::filesystem::path& folder) {
  bagit::profile_set out;
  const auto bad = [](const caf::error& error) {
    return caf::make_error(ec::bad_setting, "BagIt profiles: " + render(error));
  };
  if (!folder.empty()) {
    auto own = bagit::profile_set::from_folder(folder);
    if (!own)
      return bad(own.error());
    out = std::move(*own);
  }
  for (const auto& x : shipped_profiles()) {
    auto read = bagit::read_profile(x.text);
    if (!read)
      return bad(read.error());
    // A site's own rules of that name come first.
    if (out.find(read->identifier) || out.find(read->name))
      continue;
    if (auto failure = out.add(std::move(*read)))
      return bad(failure);
  }
  return out;
}

} // namespace depositd
