#pragma once

// Numbers in few bytes (LEB128), as the journal, ledgers and tables write them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace depositd {

/// Of a difference modulo 2^64: small for small ones in both directions
/// (zigzag).
constexpr std::uint64_t folded(std::uint64_t difference) {
  return (difference << 1) ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}

constexpr std::uint64_t unfolded(std::uint64_t x) {
  return (x >> 1) ^ ((x & 1) != 0 ? ~std::uint64_t{0} : 0);
}

inline void add_number(std::string& to, std::uint64_t x) {
  if (x < 0x80)
    return to.push_back(static_cast<char>(x));
  char bytes[10];
  std::size_t count = 0;
  for (; x >= 0x80; x >>= 7)
    bytes[count++] = static_cast<char>(x | 0x80);
  bytes[count++] = static_cast<char>(x);
  to.append(bytes, count);
}

/// Moves `at` behind the number. 0, and `is_whole` becomes false, if there is
/// none, or one of more than 64 bits.
inline std::uint64_t take_number(std::string_view bytes, std::size_t& at,
                                 bool& is_whole) {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto x = static_cast<unsigned char>(bytes[at++]);
    if (shift == 63 && x > 1)
      break;
    out |= std::uint64_t{x & 0x7fu} << shift;
    if (x < 0x80)
      return out;
  }
  is_whole = false;
  return 0;
}

} // namespace depositd
