#pragma once

// Files from the web, through the guard.

#include "adapters/fetching/guarded_request.hpp"
#include "messages/ports/downloader.hpp"

#include <memory>

namespace depositd {

struct web_downloader_options {
  web_limits limits;
  std::chrono::milliseconds file_limit{3'600'000}; ///< for one file
  std::chrono::milliseconds measure_limit{60'000};
  std::uint32_t stalls_max = 3;               ///< in a row, without progress
  std::uint32_t requests_max = 100;           ///< for one file
  std::chrono::milliseconds retry_delay{500}; ///< after a stall; doubles
  /// Bytes that files leave free of the disk that they come to. One that would
  /// take more is not kept in part (`ec::store_failed`). 0: they may fill it.
  std::uint64_t disk_free_min = 0;
};

/// The guard outlives it.
std::unique_ptr<downloader> make_web_downloader(const address_guard& guard,
                                                web_downloader_options options);

} // namespace depositd
