#pragma once

// The kinds of faults and warnings, by names that do not change.

#include <cstdint>
#include <string_view>

namespace depositd::bagit {

enum class finding_code : std::uint8_t {
  // Of the archive or the folder that the bag is in.
  unreadable,      ///< damaged, or not an archive
  not_allowed,     ///< a link, a device, an encrypted entry
  illegal_name,    ///< absolute, climbing, "~", not UTF-8
  too_large,       ///< a limit; the text names it
  changed,         ///< while it was read
  top_folder,      ///< none, more than one, or of the wrong name
  duplicate_entry, ///< a file is there twice
  file_and_folder, ///< others are below a file
  // Of BagIt.
  bagit_txt,         ///< missing, or not as it must be
  version,           ///< that is not known
  encoding,          ///< that is not known, or a text that is not in it
  no_manifest,       ///< no payload manifest
  unknown_algorithm, ///< a manifest that cannot be checked
  bad_line,          ///< of a manifest, of fetch.txt, of a file of tags
  outside_bag,       ///< a manifest or fetch.txt names what is not below
  listed_twice,      ///< a file in one manifest
  missing_file,      ///< is in a manifest
  unlisted_file,     ///< of the payload, in no (1.0: not in every) manifest
  wrong_digest,      ///< of a file of the payload
  wrong_tag_digest,  ///< of a tag file
  payload_oxum,      ///< does not agree with the payload
  fetch,             ///< a file that would have to be fetched
  no_payload_folder, ///< data/
  // Of profiles.
  profile_unknown,
  profile_tag_missing,
  profile_tag_value,
  profile_manifest,      ///< required and missing, or not allowed
  profile_tag_file,      ///< required and missing, or not allowed
  profile_version,       ///< of BagIt, not accepted
  profile_serialization, ///< tar or folder, against the rules
  profile_fetch,         ///< fetch.txt, against the rules
  profile_payload,       ///< files of the payload, against the rules
  // Warnings only.
  binary_marker, ///< "*" before a name: md5sum's
  dot_slash,     ///< "./" before a name
  same_but_case, ///< names that differ only by case or composition
  system_file,   ///< Thumbs.db and the like
  odd_tag,       ///< a tag that should not be there more than once, and so on
  manifest_name, ///< "manifest-SHA256.txt"
  odd_name,      ///< a name that other systems cannot have
  odd_bagit_txt, ///< one that BagIt 1.0 would not allow
  unlisted_manifest, ///< that no tag manifest has
};

/// "missing_file".
std::string_view to_string(finding_code x);

} // namespace depositd::bagit
