#pragma once

// A file that is being fetched, and the digests of what is there of it.

#include "adapters/digests/digester.hpp"
#include "adapters/stores/files/disk_floor.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/ports/downloader.hpp"

#include <filesystem>
#include <vector>

namespace depositd {

/// Kept as PATH + ".part" until it is complete.
class partial_file {
public:
  /// Both outlive it.
  partial_file(const download_request& x, disk_floor& floor);

  /// Opens what an earlier attempt has left, or a new one. Only what a digest
  /// will be checked for is continued.
  caf::error open();

  std::uint64_t bytes() const {
    return bytes_;
  }

  /// `ec::too_large` if it would have more bytes in all than the request's
  /// limit.
  caf::error admit(std::uint64_t total) const;

  /// Likewise; `ec::store_damaged` beyond the size that it has to have,
  /// `ec::store_failed` for the disk.
  caf::error append(std::string_view bytes);

  /// True if the disk had no room for it.
  bool has_filled_disk() const {
    return has_filled_disk_;
  }

  caf::error restart();

  /// Gives it its name, durably, if it is what was asked for;
  /// `ec::store_damaged` says what differs.
  caf::expected<download_result> complete();

private:
  void reset_digests();

  /// Without a digest the size is what tells whether it is right.
  bool is_known_by_size() const {
    return x_.size && !x_.expected;
  }

  const download_request& x_;
  disk_floor& floor_;
  const std::filesystem::path path_;
  unique_fd file_;
  std::uint64_t bytes_ = 0;
  bool has_filled_disk_ = false;
  std::vector<digester> digests_; ///< as `wanted`, then the expected one
};

} // namespace depositd
