#pragma once

// What is found out about a bag while it is read, for its judges.

#include "adapters/bagit/checking.hpp"
#include "adapters/bagit/file_table.hpp"
#include "adapters/bagit/text_decoding.hpp"

#include <map>
#include <string>

namespace depositd::bagit {

struct bag_facts {
  bag_report report;
  file_table files;
  bool declared = false; ///< bagit.txt was understood
  bool strict = false;   ///< 1.0: what was advice before is a must
  text_encoding encoding = text_encoding::utf8;
  bool has_data_folder = false;
  bool has_fetch = false;
  std::uint64_t forgiven = 0; ///< missing files that are no fault
  /// Texts of tag files, as they are, until all is read; by path.
  std::map<std::string, std::string> texts;

  void fault(finding_code code, std::string_view file, std::string_view text) {
    report.faults.add(code, file, text);
  }

  void warn(finding_code code, std::string_view file, std::string_view text) {
    report.warnings.add(code, file, text);
  }

  /// A fault in a bag of 1.0, a warning in an older one.
  void fault_if_strict(finding_code code, std::string_view file,
                       std::string_view text) {
    (strict ? report.faults : report.warnings).add(code, file, text);
  }
};

/// What the file of the bag's own tags is called in a version of BagIt.
std::string_view info_name(std::string_view version);

/// "manifest-md5.txt".
std::string manifest_name(digest_algorithm x, bool of_tags = false);

/// Judges files against manifests and fetch.txt, and the bag as a whole.
void judge_bag(bag_facts& x);

/// Judges the bag against its profile, if it has one. `ec::invalid_argument`:
/// a profile that was chosen by name is not known.
caf::error judge_profile(bag_facts& x, const profile_choice& choice);

} // namespace depositd::bagit
