#pragma once

// Made-up items: JSON bodies for users of very different rates.

#include "messages/values/types.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::bench {

/// Users drawn by Zipf's law (exponent 1) and bodies of a fixed size: an object
/// that begins with a mark.
class workload {
public:
  workload(std::uint32_t users, std::uint32_t body_bytes, std::uint64_t seed);

  /// The next item. `mark` is written at the beginning of the body, for who
  /// receives it.
  new_item next(std::uint64_t mark = 0);

  std::vector<new_item> batch(std::size_t count, std::uint64_t mark = 0);

  /// The number of the user whose turn it is.
  std::uint32_t draw_user();

  /// Appends a body without making an item of it.
  void append_body(std::string& to, std::uint64_t mark) const;

private:
  std::mt19937_64 random_;
  std::vector<double> cumulated_;
  std::string text_;
};

/// The mark of a body made by `workload`, or of bytes that begin with one.
std::uint64_t mark_of(std::string_view body);

/// user-0, user-1, ...
std::string user_name(std::uint32_t number);

} // namespace depositd::bench
