#pragma once

// Working folders that nobody will need again: of jobs that are deleted or
// through, and of batches that were forgotten. Never one of a job that may go
// on; several engines may share the folder.

#include "messages/ports/work_reader.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

namespace depositd::merritt {

struct folder_sweep_options {
  std::filesystem::path work;
  std::shared_ptr<work_reader> reads;
  /// Nobody but the engines of this store uses the folder: what is named like
  /// a batch and is none is a batch that was forgotten. Else only batches that
  /// were there when an earlier sweep looked.
  bool all_ours = false;
  /// What has changed since then is left for the next sweep.
  std::chrono::seconds unused_min{3'600};
  /// Of one sweep; the next goes on with what is left.
  std::uint32_t folders_max = 50'000;
};

struct folders_swept {
  std::uint64_t removed = 0;
  std::uint64_t unknown = 0; ///< left: nobody knows whose they are
};

class folder_sweep {
public:
  explicit folder_sweep(folder_sweep_options options);

  /// Blocks on the disk and the read model. If that does not answer, nothing
  /// more is removed, and its error is the answer.
  caf::expected<folders_swept> run();

  /// The same; its answer goes to the log. False if it was an error.
  bool run_and_log();

private:
  caf::error sweep_batch(const std::filesystem::path& folder);
  caf::error sweep_jobs(const std::filesystem::path& folder);

  /// Whether nothing of the job will be needed.
  caf::expected<bool> is_over(const std::string& job);

  bool is_unused(const std::filesystem::path& folder) const;
  void remove(const std::filesystem::path& folder);

  const folder_sweep_options options_;
  std::set<std::string> batches_; ///< that were seen in the read model
  std::set<std::string> seen_;    ///< since a sweep began with the first
  bool is_through_ = true;        ///< false: the last one did not get to all
  std::uint32_t left_ = 0;
  folders_swept done_;
};

} // namespace depositd::merritt
