#pragma once

// A bag as a stream: a tar file, also compressed, or a folder, read once from
// its beginning to its end. Nothing is unpacked, nothing is written.

#include "messages/values/digests.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::bagit {

/// What a bag may cost. All counts are inclusive.
struct bag_limits {
  std::uint64_t bytes_max = std::uint64_t{5} << 40; ///< of all files
  std::uint64_t file_bytes_max = std::uint64_t{5} << 40;
  std::uint64_t entries_max = 1'000'000; ///< files and folders
  /// Unpacked bytes for each of the archive's own, ...
  std::uint64_t ratio_max = 100;
  /// ... from so many bytes on.
  std::uint64_t ratio_free_bytes = std::uint64_t{1024} * 1024;
  /// Of a tag file whose text is kept; manifests are not.
  std::size_t tag_file_bytes_max = std::size_t{1024} * 1024;
  /// Of all tag files whose texts are kept.
  std::size_t tag_text_bytes_max = std::size_t{8} * 1024 * 1024;
};

struct bag_source {
  /// A tar file or a folder.
  std::filesystem::path path;
  /// As its sender called it: "photos.tar". Empty: as the file is called.
  std::string name;

  std::string shown_name() const {
    return name.empty() ? path.filename().string() : name;
  }
};

enum class file_kind : std::uint8_t {
  payload,
  bagit_txt,
  bag_info, ///< bag-info.txt
  manifest,
  tag_manifest,
  fetch,
  tag_file, ///< any other
};

/// What the name says, inside the bag.
file_kind kind_of_file(std::string_view path);

/// The algorithm of "manifest-NAME.txt" and "tagmanifest-NAME.txt"; nothing if
/// the name is none of a manifest, or names no algorithm that is known.
std::optional<digest_algorithm> manifest_algorithm(std::string_view path);

/// A file of a bag.
struct bag_file {
  std::string path; ///< inside the bag: "data/a b.txt"
  file_kind kind = file_kind::payload;
  std::uint64_t bytes = 0;
  std::uint32_t mode = 0;      ///< permissions only
  std::int64_t modified_s = 0; ///< since 1970
  std::vector<digest> digests; ///< once it was read: those that were asked for
};

/// Sees a bag go by. An error ends the reading and is what the reader returns.
class bag_visitor {
public:
  virtual ~bag_visitor() = default;

  /// Before its bytes: digests are not known. `bytes` is what the header says.
  virtual caf::error begin(const bag_file&) {
    return {};
  }

  /// A part of the file, in order; valid until this returns.
  virtual caf::error bytes(std::string_view) {
    return {};
  }

  /// After its bytes, with digests.
  virtual caf::error end(const bag_file&) {
    return {};
  }
};

struct read_options {
  /// Of every file, each once.
  std::vector<digest_algorithm> digests = {digest_algorithm::md5,
                                           digest_algorithm::sha256};
  bag_limits limits;
};

/// What was read, all in all.
struct bag_totals {
  std::string folder; ///< the bag's own, which all names in the archive share
  std::uint64_t payload_files = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t tag_files = 0;
};

/// Reads all files of a bag, in the order of the archive (of a folder: by
/// name, bagit.txt and manifests before the payload). This does not judge the
/// bag (checking.hpp does) beyond what makes an archive dangerous. Blocks.
/// `ec::malformed`: damaged, or something in it is not allowed, with its name;
/// `ec::too_large` names the limit; `ec::store_damaged`: it changed while it
/// was read; `ec::store_failed`: the disk; `ec::not_found`.
caf::expected<bag_totals> read_bag(const bag_source& from,
                                   const read_options& options,
                                   bag_visitor& visitor);

} // namespace depositd::bagit
