#pragma once

// One signed request to a bucket, once.

#include "adapters/fetching/curl_kit.hpp"
#include "adapters/stores/s3/place.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::s3 {

/// The header for `answer::mark`.
inline constexpr std::string_view mark_header = "x-amz-meta-depositd-upload";

/// What a server says in a document is never longer.
inline constexpr std::size_t document_bytes_max = 16u * 1024 * 1024;

struct time_limits {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds stalled{60'000};   ///< below `rate_min`
  std::chrono::milliseconds thinking{300'000}; ///< before it answers a commit
  std::chrono::milliseconds whole{6 * 3'600'000}; ///< one request
  std::uint32_t rate_min = 1'024;                 ///< bytes/s
};

/// What is sent; may be read from more than once.
struct outgoing {
  std::uint64_t bytes = 0;
  std::string sha256; ///< of all of it, hexadecimal
  /// Fills the span from that offset, wholly. Null: there are no bytes.
  std::function<caf::error(std::span<char> into, std::uint64_t offset)> read;
};

struct request {
  std::string method = "GET"; ///< HEAD, PUT, POST, DELETE
  std::string key;            ///< empty: about the bucket
  std::string query;          ///< as `url_of` wants it
  std::vector<std::string> headers;
  std::optional<outgoing> body;
  /// Takes the body of an answer with 200 or 206; null: it is collected.
  std::function<caf::error(std::string_view)> sink;
  std::uint64_t from = 0;   ///< for the sink: what comes before is not wanted
  bool slow_answer = false; ///< the server may think long
};

struct answer {
  long status = 0;
  std::string body; ///< what was not for the sink
  std::string etag;
  std::string region; ///< where the bucket is, if it is elsewhere
  std::string mark;   ///< what we have written at the object
  std::optional<std::uint64_t> length;
  std::optional<std::uint64_t> range_first; ///< 206: its first byte
};

struct ending {
  answer said;
  caf::error failure;   ///< none: `said` is whole, whatever its status is
  bool passing = false; ///< the same request may go through later
  bool hung = false;    ///< the server had all the time that it may take
  bool full = false;    ///< the server has no room for it
  bool busy = false;    ///< the server wants fewer requests
};

/// For several threads; keeps connections. Shows nobody the keys.
class wire {
public:
  wire(s3_place place, time_limits limits, std::function<bool()> stopped);

  ending send(const request& x);

  const s3_place& place() const {
    return place_;
  }

private:
  curl_easy take();
  void give_back(curl_easy x);

  const s3_place place_;
  const std::function<bool()> stopped_;
  const time_limits limits_;
  const std::string signing_; ///< what the library wants to hear
  std::mutex mutex_;          // guards what follows
  std::vector<curl_easy> idle_;
};

} // namespace depositd::s3
