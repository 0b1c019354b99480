#pragma once

// Unpacks archives of strangers: zip and tar, the latter also compressed.

#include "messages/values/errors.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace depositd {

/// What an archive may cost. All counts are inclusive.
struct archive_limits {
  std::uint64_t bytes_max = std::uint64_t{1} << 40; ///< unpacked
  std::uint64_t file_bytes_max = std::uint64_t{1} << 40;
  std::uint64_t entries_max = 100'000;
  /// Those count, too, that only stand in the names of others.
  std::uint64_t folders_max = 100'000;
  /// Unpacked bytes for each of the archive's own.
  std::uint64_t ratio_max = 100;
  /// So many bytes are fine whatever the ratio.
  std::uint64_t ratio_free_bytes = 1024 * 1024;
  /// That stay free of the folder's disk.
  std::uint64_t disk_free_min = 0;
};

struct archive_source {
  std::filesystem::path file;
  std::string name; ///< as its sender called it: the ending says what it is
};

struct extracted_file {
  std::string path; ///< below the folder
  std::uint64_t bytes = 0;

  friend bool operator==(const extracted_file&,
                         const extracted_file&) = default;
};

/// Unpacks into a folder, which must not exist yet, makes it durable, and
/// returns its files by name. Only plain files and folders with relative names
/// that differ by more than case are taken, and nothing is ever written
/// outside. On any failure the folder is gone again. `ec::malformed`: the
/// archive is damaged, or something in it is not allowed, with its name;
/// `ec::too_large` names the limit; `ec::store_failed`: the disk.
caf::expected<std::vector<extracted_file>>
extract_archive(const archive_source& from, const std::filesystem::path& folder,
                const archive_limits& limits);

} // namespace depositd
