#pragma once

// A file that is being fetched, and the digests of what is there of it.

#include "adapters/digests/digester.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/ports/downloader.hpp"

#include <filesystem>
#include <vector>

namespace depositd {

/// Kept as PATH + ".part" until it is complete.
class partial_file {
public:
  explicit partial_file(const download_request& x);

  /// Opens what an earlier attempt has left, or a new one. Only what a digest
  /// will be checked for is continued.
  caf::error open();

  std::uint64_t bytes() const {
    return bytes_;
  }

  /// `ec::too_large` beyond the request's limit.
  caf::error append(std::string_view bytes);

  caf::error restart();

  /// Gives it its name, durably, if it is what was asked for;
  /// `ec::store_damaged` says what differs.
  caf::expected<download_result> complete();

private:
  void reset_digests();

  const download_request& x_;
  const std::filesystem::path path_;
  unique_fd file_;
  std::uint64_t bytes_ = 0;
  std::vector<digester> digests_; ///< as `wanted`, then the expected one
};

} // namespace depositd
