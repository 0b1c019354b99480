#pragma once

// Bodies of several messages, as /mpub takes them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::nsq_http {

struct body_limits {
  std::size_t message_bytes_max = 0;
  std::size_t body_bytes_max = 0;
  std::size_t messages_max = 0;
};

struct bodies_read {
  std::vector<std::string> bodies;
  const char* wrong = nullptr; ///< the word that is answered with 413, if any
};

/// One message in each line; empty lines are none.
bodies_read read_lines(std::string_view from, const body_limits& limits);

/// How many there are, then the length and the bytes of each; lengths have four
/// bytes, the highest first. What follows the last is ignored.
bodies_read read_binary(std::string_view from, const body_limits& limits);

} // namespace depositd::nsq_http
