#pragma once

// Whether a bag is valid: BagIt 0.93 to 1.0 (RFC 8493), and its profile.
// This is all that a stage, a command or a route needs to know of a bag.

#include "adapters/bagit/findings.hpp"
#include "adapters/bagit/profiles.hpp"
#include "adapters/bagit/reading.hpp"
#include "adapters/bagit/tags.hpp"

#include <string>
#include <vector>

namespace depositd::bagit {

/// Which profile a bag has to keep.
struct profile_choice {
  /// Null: profiles are not looked at.
  const profile_set* known = nullptr;
  /// A collection's, by identifier or name: its bags have to keep it, whatever
  /// they name. Empty: the one that the bag names in BagIt-Profile-Identifier.
  std::string of_collection;
  /// If neither is there; empty: then there are no rules.
  std::string otherwise;
};

struct check_options {
  /// Of every file, for the visitor. Those that manifests name come by
  /// themselves; a bag is read again only for what was not computed before its
  /// manifest was seen, so name here what manifests are likely to have.
  std::vector<digest_algorithm> digests = {digest_algorithm::md5,
                                           digest_algorithm::sha256};
  bag_limits limits;
  profile_choice profile;
  /// Sees every file once, before anybody knows whether the bag is valid.
  /// Null: nobody. Its errors end the check.
  bag_visitor* visitor = nullptr;
};

/// What a bag is, and what is wrong with it.
struct bag_report {
  std::string name; ///< of the archive or folder, as its sender called it
  bool serialized = false; ///< an archive
  std::string version;     ///< "1.0"; empty: not known
  std::string encoding;    ///< of tag files: "UTF-8"
  bag_totals totals;
  std::vector<digest_algorithm> manifests;
  std::vector<digest_algorithm> tag_manifests;
  /// Files of tags, bag-info.txt among them; texts of others are not kept.
  std::vector<tag_file> tag_files;
  std::string profile; ///< identifier of the one that was kept, or not
  finding_list faults;
  finding_list warnings;

  bool valid() const {
    return faults.empty();
  }

  /// Tags of bag-info.txt, or, where it is not there, of package-info.txt, as
  /// it was called before 0.95.
  const std::vector<tag>& info() const;

  /// Tags of that file; none if it is not there.
  const std::vector<tag>& tags_of(std::string_view path) const;
};

/// Reads a bag (once, as a rule) and judges it. Everything that is wrong with
/// the bag is in the report; an error is something else: `ec::store_failed`
/// (the disk), `ec::not_found`, `ec::invalid_argument` (a collection's profile
/// that is not known), or the visitor's. Blocks; memory: a hundred bytes or so
/// and its path for each file.
caf::expected<bag_report> check_bag(const bag_source& from,
                                    const check_options& options);

/// The report as a JSON object, for events, routes and commands.
std::string report_json(const bag_report& x);

} // namespace depositd::bagit
