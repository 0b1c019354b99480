#pragma once

// BagIt Profiles: rules of a community for its bags, as JSON of the BagIt
// Profiles Specification 1.3 and 1.4. See docs/BAGIT.md.

#include "messages/values/errors.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::bagit {

/// What a profile says about a tag.
struct tag_rule {
  std::string label;
  bool required = false;
  bool repeatable = true;
  bool empty_ok = true;            ///< a value may be empty
  std::vector<std::string> values; ///< that are allowed; empty: all
};

/// ... and about the tags of a file other than bag-info.txt.
struct tag_file_rules {
  std::string path;
  std::vector<tag_rule> tags;
};

enum class serialization_rule : std::uint8_t { forbidden, optional, required };

struct profile {
  std::string identifier; ///< a URL
  std::string name;       ///< short: what collections may call it
  std::vector<std::string> other_identifiers; ///< that bags in use have
  std::string version;
  serialization_rule serialization = serialization_rule::optional;
  std::vector<std::string> media_types;    ///< of the serialization
  std::vector<std::string> bagit_versions; ///< empty: all
  bool fetch_allowed = true;
  bool fetch_required = false;
  bool data_empty = false; ///< the payload must be nothing, or one empty file
  std::vector<std::string> manifests_required; ///< "sha256"
  std::vector<std::string> manifests_allowed;  ///< empty: all
  std::vector<std::string> tag_manifests_required;
  std::vector<std::string> tag_manifests_allowed;
  std::vector<std::string> tag_files_required;
  std::vector<std::string> tag_files_allowed; ///< patterns; empty: all
  std::vector<std::string> payload_required;  ///< files below data/
  std::vector<std::string> payload_allowed;   ///< patterns; empty: all
  std::vector<tag_rule> bag_info;
  std::vector<tag_file_rules> other_info;
};

/// `ec::malformed` says what is wrong.
caf::expected<profile> read_profile(std::string_view json);

/// All profiles that an engine knows.
class profile_set {
public:
  /// Those that are delivered, by files *.json of a folder. `ec::malformed`
  /// names the file; `ec::not_found`.
  static caf::expected<profile_set>
  from_folder(const std::filesystem::path& folder);

  /// `ec::already_exists` if one has that identifier or name.
  caf::error add(profile x);

  /// By identifier or short name; null if there is none.
  const profile* find(std::string_view name) const;

  const std::vector<profile>& all() const {
    return profiles_;
  }

private:
  std::vector<profile> profiles_;
};

} // namespace depositd::bagit
