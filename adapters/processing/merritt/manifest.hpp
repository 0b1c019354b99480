#pragma once

// Merritt's manifests: `checkm` with fixed columns.

#include "messages/values/digests.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::merritt {

enum class manifest_kind : std::uint8_t {
  object,              ///< the files of one object
  batch_of_manifests,  ///< rows are object manifests
  batch_of_containers, ///< rows are archives
  batch_of_files,      ///< rows are single files
  contents,            ///< of a container: no URLs
};

inline bool is_batch(manifest_kind x) {
  return x == manifest_kind::batch_of_manifests
         || x == manifest_kind::batch_of_containers
         || x == manifest_kind::batch_of_files;
}

struct manifest_row {
  std::uint64_t line = 0; ///< in the manifest, the first is 1
  std::string url;        ///< empty in `contents`
  std::optional<digest> expected;
  std::optional<std::uint64_t> size;
  micros modified_us = never;
  std::string file_name; ///< path below the payload's folder
  std::string mime_type;
  std::string primary_identifier;
  std::vector<std::string> local_ids;
  std::string creator;
  std::string title;
  std::string date;
  std::string fault; ///< this row's job cannot succeed; the others can
};

struct manifest {
  manifest_kind kind = manifest_kind::object;
  std::vector<manifest_row> rows;
};

/// Why a manifest is corrupt, or one of its rows.
struct manifest_fault {
  std::uint64_t line = 0; ///< 0: the whole
  std::string reason;
};

inline constexpr std::size_t batch_manifest_bytes_max = 5'000'000;
inline constexpr std::size_t manifest_bytes_max = 512u * 1024 * 1024;
inline constexpr std::size_t manifest_rows_max = 1'000'000;
inline constexpr std::size_t manifest_line_bytes_max = 64 * 1024;

/// Either a manifest or the first thing that makes it corrupt.
struct manifest_reading {
  manifest found;
  std::optional<manifest_fault> fault;

  bool corrupt() const {
    return fault.has_value();
  }
};

/// Reads a manifest of any kind, or of the one that is wanted.
manifest_reading read_manifest(std::string_view text,
                               std::optional<manifest_kind> wanted = {});

/// What `read_manifest` found, or the first row that cannot succeed: for those
/// who want to know before they submit.
std::optional<manifest_fault> judge(const manifest_reading& x);

/// "line 3: reason".
using depositd::render; // of errors, which this would hide
std::string render(const manifest_fault& x);

/// Of a job or an object: each is locked, looked for and bound on its own.
inline constexpr std::size_t local_ids_max = 100;

/// Several local ids in one text, without blanks around them nor repetitions.
/// Of too many the first ones, and one more, by which they are refused.
std::vector<std::string> split_local_ids(std::string_view text);

/// The first ones, then what the second ones add.
std::vector<std::string> merge_local_ids(std::vector<std::string> first,
                                         const std::vector<std::string>& then);

/// What the inventory takes as an identifier, or as one local identifier.
inline constexpr std::size_t identifier_bytes_max = 1'024;

/// Why these local ids cannot be recorded; empty if they can.
std::string local_ids_fault(const std::vector<std::string>& ids);

/// Whether the text could be an ARK: "ark:/99999/fk4abc", the slash after the
/// colon is not needed.
bool legal_ark(std::string_view text);

/// The identifier as it is kept: an ARK with the slash after its colon.
/// Anything else stays as it is.
std::string kept_identifier(std::string text);

/// Member of a batch's document, if the form has one: who submitted it.
inline constexpr const char* submitter_member = "submitter";

/// What a submission is.
enum class submission_type : std::uint8_t {
  file,
  container,
  object_manifest,
  batch_of_manifests,
  batch_of_containers,
  batch_of_files,
};

/// By the form's field `type`; nothing if there is no such type.
std::optional<submission_type> find_submission_type(std::string_view word);

/// Of a file whose sender did not say.
submission_type detect_type(std::string_view file_name, std::string_view bytes);

/// Whether a container of this name can be unpacked.
bool has_container_name(std::string_view file_name);

/// The manifest that storage is handed: one row a file, with profile and
/// columns of `mrt-add-manifest`.
std::string write_storage_manifest(const std::vector<manifest_row>& rows);

} // namespace depositd::merritt
