#pragma once

// Where a job's files are while it is worked on, what is to be stored of them,
// and what the first stages leave in the job's document for the last ones.
//
//   WORK/BATCH/JOB/             named by the uuids of batch and job
//     producer/NAME             the payload, unpacked; names may have folders
//     system/NAME               what Merritt adds
//     system/mrt-manifest.txt   what is to be stored, itself left out
//     manifest.checkm           of jobs of type manifest: what was submitted
//     incoming/...              begun downloads, gone once they are complete
//     expected                  while bytes are promised to it, see room.hpp
//
// All of it can be removed once the job is recorded. WORK/BATCH/split is there
// while the batch is split, and removed with its last slice.

#include "messages/ports/inventory.hpp"
#include "messages/values/job_documents.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace depositd::merritt {

/// Members of `job_document::more`. What is not known is not there.
namespace left_by_process {

/// True: the identifier was minted for this job.
inline constexpr const char* minted = "minted";
/// How many identifiers were minted for it before that are others' objects.
inline constexpr const char* minted_in_vain = "minted_in_vain";
/// True: the object was recorded already when the job was processed, so this
/// will be a further version. With `job_document::update` its files are those
/// of the last version and these; without, these alone.
inline constexpr const char* known_object = "known_object";
/// ISO 8601: nobody may see the object before.
inline constexpr const char* embargo_until = "embargo_until";
/// Of all that is to be stored, payload and system files.
inline constexpr const char* stored_files = "stored_files";
inline constexpr const char* stored_bytes = "stored_bytes";

} // namespace left_by_process

/// Left by the estimate, true: some rows did not tell their sizes, so that
/// `space_needed` is the least.
inline constexpr const char* space_at_least = "space_at_least";

/// The folder of one job; it need not be there.
struct job_folder {
  std::filesystem::path root;

  std::filesystem::path producer() const {
    return root / "producer";
  }
  std::filesystem::path system() const {
    return root / "system";
  }
  std::filesystem::path incoming() const {
    return root / "incoming";
  }
  std::filesystem::path submitted_manifest() const {
    return root / "manifest.checkm";
  }
  std::filesystem::path storage_manifest() const {
    return system() / "mrt-manifest.txt";
  }
};

/// WORK/BATCH. `ec::malformed` if the uuid cannot be the name of a folder.
caf::expected<std::filesystem::path>
batch_folder(const std::filesystem::path& work, const std::string& batch_uuid);

/// WORK/BATCH/JOB. `ec::malformed` likewise.
caf::expected<job_folder> folder_of(const std::filesystem::path& work,
                                    const job_document& job);

/// A file as storage gets it.
struct file_to_store {
  std::string path;             ///< "producer/NAME" or "system/NAME"
  std::filesystem::path source; ///< where it is now
  std::uint64_t bytes = 0;
  std::string sha256;
  std::string mime_type; ///< as its row says; may be empty
};

/// What the stage `process` has listed in system/mrt-manifest.txt, by path.
/// `ec::not_found` if there is no such list, `ec::malformed` if it is no list
/// of ours. Whether the files are still like this is not looked at.
caf::expected<std::vector<file_to_store>>
read_files_to_store(const job_folder& folder);

/// Paths that an update takes away from the last version, each under
/// "producer/" (`mrt-delete.txt` of the payload); empty if the job is no
/// update. `ec::malformed` as `read_delete_list`, which `process` has called.
caf::expected<std::vector<std::string>> read_deletions(const job_folder& folder,
                                                       const job_document& job);

/// Locks that `process` takes and keeps if it succeeds, in the job's name. The
/// stages behind it take them again with the tokens of their own claims, and
/// the last one gives them up (`inventory::unlock_all`), as each stage does
/// whose job fails.
object_lock identifier_lock(const job_document& job, std::uint64_t token,
                            micros now);
object_lock local_id_lock(const job_document& job, const std::string& owner,
                          const std::string& local_id, std::uint64_t token,
                          micros now);

/// What is there under this name, links not followed; `not_found`: nothing.
/// `ec::store_failed`: the disk does not say, which is not the same.
caf::expected<std::filesystem::file_type>
look_at(const std::filesystem::path& path);

} // namespace depositd::merritt
