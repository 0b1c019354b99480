#pragma once

// A tar file that is being written.

#include "adapters/stores/files/file.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct archive;

namespace depositd::bagit {

struct tar_entry {
  std::string path; ///< UTF-8
  std::uint64_t bytes = 0;
  std::uint32_t mode = 0644;
  std::int64_t modified_s = 0;
  bool folder = false;
};

/// Writes POSIX tar: what every program reads, with extensions only for names
/// and sizes that need them. Gone again unless it was finished. Errors:
/// `ec::store_failed`.
class tar_file {
public:
  tar_file();
  tar_file(const tar_file&) = delete;
  tar_file& operator=(const tar_file&) = delete;
  ~tar_file();

  /// `path` must not exist.
  caf::error open(const std::filesystem::path& path);

  /// Then exactly so many bytes have to come.
  caf::error begin(const tar_entry& x);
  caf::error add(std::string_view bytes);

  /// Makes it durable, and returns its bytes.
  caf::expected<std::uint64_t> finish();

private:
  caf::error failed() const;

  std::filesystem::path path_;
  unique_fd file_;
  std::unique_ptr<archive, int (*)(archive*)> to_;
  bool kept_ = false;
};

} // namespace depositd::bagit
