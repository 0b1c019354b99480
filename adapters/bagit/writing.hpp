#pragma once

// Makes a bag in a tar file: for what is given back to depositors.

#include "adapters/bagit/tags.hpp"
#include "messages/values/digests.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace depositd::bagit {

struct new_bag {
  std::string name; ///< of the folder in the archive
  /// Of bag-info.txt and manifests, as bagit.txt calls it. It has to have the
  /// characters of all names.
  std::string encoding = "UTF-8";
  /// Of payload and tag manifests. 1.0 is what is written.
  std::vector<digest_algorithm> digests = {digest_algorithm::md5,
                                           digest_algorithm::sha256};
  /// Of bag-info.txt; Payload-Oxum, Bagging-Date and Bag-Software-Agent come
  /// by themselves unless they are here (Payload-Oxum always).
  std::vector<tag> info;
  std::int64_t created_s = 0; ///< since 1970: Bagging-Date, and of tag files
};

/// A file to put into the bag.
struct bag_member {
  std::string path; ///< inside the bag; below data/ it is payload
  std::filesystem::path source;
  std::vector<digest> expected; ///< what it must be; any number of them
  std::uint32_t mode = 0644;
  std::int64_t modified_s = 0; ///< 0: the source's
};

struct written_bag {
  std::uint64_t bytes = 0; ///< of the tar file
  std::uint64_t payload_files = 0;
  std::uint64_t payload_bytes = 0;
};

/// Writes files as they come, in one reading of each, and the manifests at the
/// end. What was not finished is gone again. Not for several threads.
class bag_writer {
public:
  /// `to` must not exist. `ec::store_failed`, `ec::invalid_argument`.
  static caf::expected<bag_writer> open(const std::filesystem::path& to,
                                        new_bag bag);

  bag_writer(bag_writer&&) noexcept;
  bag_writer& operator=(bag_writer&&) noexcept;
  ~bag_writer();

  /// `ec::store_damaged`: not the digest that was expected;
  /// `ec::invalid_argument`: the path; `ec::already_exists`. bagit.txt,
  /// bag-info.txt and manifests are the writer's own.
  caf::error add(const bag_member& x);

  /// Makes the file durable. Check it (checking.hpp) before it is given away.
  caf::expected<written_bag> finish();

private:
  struct state;
  explicit bag_writer(std::unique_ptr<state> x);

  std::unique_ptr<state> state_;
};

/// "Label: value" lines, long values folded as BagIt allows.
std::string tag_text(const std::vector<tag>& tags);

} // namespace depositd::bagit
