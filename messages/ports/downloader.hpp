#pragma once

// Port: files from the web, named by strangers. Adapters: adapters/fetching.

#include "messages/values/digests.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace depositd {

/// What is known of a file before it is fetched.
struct remote_size {
  std::optional<std::uint64_t> bytes; ///< nothing: the server does not say
};

struct download_request {
  std::string url;
  std::filesystem::path to; ///< its folder is there; begun ones are continued
  std::optional<digest> expected;
  std::optional<std::uint64_t> size; ///< counts only without a digest
  std::uint64_t bytes_max = std::uint64_t{1} << 40;
  /// Of what was read, besides the expected one.
  std::vector<digest_algorithm> wanted;
  /// Asked about once a second while it is fetched, and once it is there, with
  /// the bytes that have come since it was asked last; true leaves the rest for
  /// another time (`ec::overloaded`). Null: nobody is asked.
  std::function<bool(std::uint64_t more)> stopped = nullptr;
};

struct download_result {
  std::uint64_t bytes = 0;
  std::vector<digest> digests; ///< as `wanted`
  std::uint32_t requests = 0;  ///< that it took
};

/// Every function may be called from any thread; all of them block on I/O.
/// Errors: `ec::malformed` for addresses that are not fetched, ever;
/// `ec::not_found` for what the server does not have; `ec::store_damaged` for
/// bytes that are not what they must be; `ec::too_large`; `ec::store_failed`
/// for the disk; `ec::overloaded` for all that may be different later.
class downloader {
public:
  virtual ~downloader() = default;

  /// Asks the server, without the file itself. `ec::draining` once work is cut
  /// short: there is no use in asking about others.
  virtual caf::expected<remote_size> measure(const std::string& url) = 0;

  /// Fetches a file and makes it durable. What is at `to` (with ".part" behind
  /// it while it is begun) is only ever what was asked for.
  virtual caf::expected<download_result> fetch(const download_request& x) = 0;
};

} // namespace depositd
