#pragma once

// What requests carry besides their bodies, and the checks of it.

#include "adapters/doors/http/message.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace depositd::emodb {

inline constexpr std::int64_t limit_default = 10;
inline constexpr std::int64_t limit_max = 1000;
inline constexpr std::int64_t ttl_default_s = 30;
inline constexpr std::int64_t ttl_max_s = 3600;

/// Reads query parameters; the first that is wrong decides the answer. An empty
/// value stands for the default, of repeated ones the first counts.
class query_reader {
public:
  explicit query_reader(const http::request& from) : from_(from) {
    // nop
  }

  /// A 32 bit number in Java's syntax.
  std::int64_t number(std::string_view name, std::int64_t otherwise) {
    return read(name, otherwise, std::numeric_limits<std::int32_t>::min(),
                std::numeric_limits<std::int32_t>::max());
  }

  /// A 64 bit number.
  std::int64_t long_number(std::string_view name, std::int64_t otherwise) {
    return read(name, otherwise, std::numeric_limits<std::int64_t>::min(),
                std::numeric_limits<std::int64_t>::max());
  }

  /// `partitioned`, which is only looked at.
  void flag(std::string_view name);

  /// Null if all is well. Taken out.
  std::optional<http::response> wrong() {
    return std::move(wrong_);
  }

private:
  std::int64_t read(std::string_view name, std::int64_t otherwise,
                    std::int64_t min, std::int64_t max);

  const http::request& from_;
  std::optional<http::response> wrong_;
};

std::optional<http::response> check_limit(std::int64_t limit);
std::optional<http::response> check_ttl(std::int64_t ttl_s);
/// Of a poll that claims, or does not.
std::optional<http::response>
check_wait(std::int64_t wait_s, std::int64_t wait_max_s, bool claims);
std::optional<http::response> check_queue_name(std::string_view name);

/// Whether the body is declared as JSON, whatever its charset.
bool sends_json(const http::request& x);

/// Whether an answer in JSON is welcome.
bool accepts_json(const http::request& x);

/// The key of a request: its header, else the query; empty if there is none.
const std::string& key_of(const http::request& x);

} // namespace depositd::emodb
