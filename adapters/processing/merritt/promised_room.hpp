#pragma once

// Room on the working folder's disk for what has not yet arrived.

#include "adapters/processing/merritt/working_folder.hpp"
#include "messages/values/estimates.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace depositd::merritt {

/// What a disk has to say to who wants to put something there.
enum class disk_answer : std::uint8_t {
  has_room,
  is_full,      ///< for now
  is_too_small, ///< whatever else goes from it
};

/// Of the working folder's disk, on which `here` bytes of the same job are
/// already; `promised` to others are still to come. `ec::store_failed`.
caf::expected<disk_answer> ask_disk(const provision_rules& rules,
                                    const std::filesystem::path& work,
                                    std::uint64_t promised, std::uint64_t bytes,
                                    std::uint64_t here = 0);

/// Why so many bytes may not come.
std::string why_no_room(disk_answer x, std::uint64_t bytes);

/// Counts what this process has let in. A file "expected" in a job's folder
/// says that its bytes may still come: whichever process removes it, they count
/// no more. May be used from several threads.
class promised_room {
public:
  /// What a job is to be let in for.
  struct wish {
    std::filesystem::path work; ///< whose disk counts
    job_folder folder;
    std::uint64_t bytes = 0; ///< that are to come
    std::uint64_t here = 0;  ///< that are there already
  };

  /// Whether the job may go on; then its bytes are promised, durably marked.
  /// A repeat replaces the promise. `ec::store_failed`.
  caf::expected<disk_answer> let_in(const provision_rules& rules,
                                    const wish& x);

  /// So many of the job's bytes are on the disk now.
  void arrived(const job_folder& folder, std::uint64_t bytes);

  /// What has been let in and is still to come, bytes.
  std::uint64_t promised();

  /// No more will come.
  caf::error settle(const job_folder& folder);

private:
  std::uint64_t promised_to_others(const std::string& root);

  std::mutex mutex_;
  std::map<std::string, std::uint64_t> promised_; ///< by job's folder
};

/// Bytes of all files below a folder; 0 if there is none.
caf::expected<std::uint64_t> bytes_below(const std::filesystem::path& folder);

} // namespace depositd::merritt
