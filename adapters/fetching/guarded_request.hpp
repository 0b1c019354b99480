#pragma once

// One request, over as many redirects as are allowed, each of them checked.

#include "adapters/fetching/address_guard.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

struct web_limits {
  std::chrono::milliseconds connect{30'000};
  std::chrono::milliseconds stalled{30'000}; ///< below `rate_min`
  std::uint32_t rate_min = 1'024;            ///< bytes/s
  std::uint32_t redirects_max = 3;
  std::string ca_file; ///< empty: the system's
  /// Asked about once a second, from the thread that waits; true ends the
  /// request. Null: nobody does.
  std::function<bool()> stopped;
};

/// What a server says before the body.
struct web_answer {
  long status = 0;
  std::optional<std::uint64_t> length;      ///< of this body
  bool has_odd_length = false; ///< it is told, and is no number of 64 bits
  std::optional<std::uint64_t> range_first; ///< 206: its first byte
  std::optional<std::uint64_t> range_total; ///< 206, 416: the whole's size
  std::string validator; ///< a strong ETag, else the date; may be empty
  /// When to come again, from now on; zero: nothing is said of that.
  std::chrono::seconds retry_after{0};
};

struct web_request {
  std::string url;
  bool head = false;
  std::optional<std::string> post;  ///< a body to send
  std::vector<std::string> headers; ///< "Name: value"
  std::chrono::milliseconds within{0};
  /// Called once, when the head of an answer that is no redirect is there; an
  /// error ends the request.
  std::function<caf::error(const web_answer&)> begin;
  std::function<caf::error(std::string_view)> body;
};

/// How a request ended. `failure` is empty if the whole answer has arrived.
struct web_ending {
  web_answer answer;
  caf::error failure; ///< `ec::overloaded`: may be different later
};

/// Blocks. Errors are those of the guard, of the callbacks, or
/// `ec::overloaded` with the library's reason.
web_ending perform(const web_request& x, const address_guard& guard,
                   const web_limits& limits);

} // namespace depositd
