#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace depositd::journal {

/// How many bytes of item bodies the engine keeps in memory. Shared by all
/// users' actors; a body that finds no room stays on disk alone.
class memory_budget {
public:
  explicit memory_budget(std::uint64_t bytes_max) : bytes_max_(bytes_max) {
    // nop
  }

  /// Takes room for a body, or says that there is none.
  bool take(std::size_t bytes) noexcept {
    if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes
        <= bytes_max_)
      return true;
    give_back(bytes);
    return false;
  }

  void give_back(std::size_t bytes) noexcept {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  std::uint64_t used() const noexcept {
    return used_.load(std::memory_order_relaxed);
  }

private:
  std::uint64_t bytes_max_;
  std::atomic<std::uint64_t> used_{0};
};

} // namespace depositd::journal
