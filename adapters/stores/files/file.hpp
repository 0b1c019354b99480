#pragma once

// Files and folders with errors that name them.

#include "adapters/stores/files/disk.hpp"
#include "messages/values/errors.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace depositd {

/// Owns an open file.
class unique_fd {
public:
  unique_fd() = default;

  explicit unique_fd(int fd) : fd_(fd) {
    // nop
  }

  unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {
    // nop
  }

  unique_fd& operator=(unique_fd&& other) noexcept;

  ~unique_fd();

  int value() const {
    return fd_;
  }

  explicit operator bool() const {
    return fd_ >= 0;
  }

private:
  int fd_ = -1;
};

/// `ec::store_failed`: "cannot <verb> <path>: <reason>".
caf::error file_failed(std::string_view verb, const std::filesystem::path& path,
                       int code);

/// Opens with `flags` of open(2); never inherited by other programs; files
/// that it creates are the owner's alone.
caf::expected<unique_fd> open_file(const std::filesystem::path& path,
                                   int flags);

/// Reads until `size` bytes or the end of the file; returns how many.
caf::expected<std::size_t> read_file_at(const unique_fd& file,
                                        const std::filesystem::path& path,
                                        std::span<char> into,
                                        std::uint64_t offset);

/// The whole file; `ec::not_found` if there is none.
caf::expected<std::string> read_file(const std::filesystem::path& path);

/// Makes names that were added to or removed from the folder survive a crash.
caf::error sync_folder(disk& io, const std::filesystem::path& folder);

/// Creates the folder and its parents, durably.
caf::error make_folders(disk& io, const std::filesystem::path& folder);

/// Puts a file with these bytes in the place of `path`, all or nothing, and
/// durably. Uses `path` + ".tmp" on the way.
caf::error replace_file(disk& io, const std::filesystem::path& path,
                        std::string_view bytes);

/// How much of a file is copied, and how long the copy is made.
struct copy_segment {
  std::uint64_t bytes = 0; ///< from the beginning
  std::uint64_t size = 0;  ///< at least `bytes`; the rest reads as zeros
};

/// Copies into a new file and makes it durable; its folder is the caller's to
/// sync. `ec::store_failed` if the file exists.
caf::error copy_file_bytes(disk& io, const unique_fd& from,
                           const std::filesystem::path& from_path,
                           const std::filesystem::path& to, copy_segment what);

} // namespace depositd
