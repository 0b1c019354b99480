#pragma once

#include <cstdint>

namespace depositd::testing {

/// The same numbers for the same seed, on every machine.
class chance {
public:
  explicit chance(std::uint64_t seed) : state_(seed) {
    // nop
  }

  std::uint64_t bits() {
    // splitmix64
    auto z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// 0 to n - 1.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(bits() % n);
  }

  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + below(high - low + 1);
  }

  bool one_in(std::uint32_t n) {
    return below(n) == 0;
  }

private:
  std::uint64_t state_;
};

} // namespace depositd::testing
