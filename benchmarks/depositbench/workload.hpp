#pragma once

// Made-up items: bodies of JSON-like text for users of very different rates.

#include "messages/types.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace depositd::bench {

/// Users drawn by Zipf's law (exponent 1) and bodies of a fixed size.
class workload {
public:
  workload(std::uint32_t users, std::uint32_t body_bytes, std::uint64_t seed);

  /// The next item. `mark` is written at the beginning of the body, for who
  /// receives it.
  new_item next(std::uint64_t mark = 0);

  std::vector<new_item> batch(std::size_t count, std::uint64_t mark = 0);

private:
  std::mt19937_64 random_;
  std::vector<double> cumulated_;
  std::string text_;
};

/// The mark of a body made by `workload`.
std::uint64_t mark_of(const std::string& body);

std::string user_name(std::uint32_t number);

} // namespace depositd::bench
