#pragma once

// One budget for everything in memory whose size strangers decide: bodies on
// their way in and out through doors, and bodies that stay with their items.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace depositd {

/// Counts bytes, from any thread. Nobody waits for room: who finds none is told
/// so, and may come again.
class memory_budget {
public:
  struct limits {
    std::uint64_t bytes_max = 0;
    /// Of these, bodies that stay with their items: what is passing through
    /// always finds the rest.
    std::uint64_t kept_max = 0;
  };

  explicit memory_budget(const limits& x) : limits_(x) {
    // nop
  }

  /// For nothing but bodies that stay.
  explicit memory_budget(std::uint64_t kept_max)
    : memory_budget(limits{kept_max, kept_max}) {
    // nop
  }

  // -- what passes through

  /// Takes room, or says that there is none.
  bool hold(std::uint64_t bytes) noexcept {
    if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes
        <= limits_.bytes_max)
      return true;
    let_go(bytes);
    return false;
  }

  /// Counts what is there already, whether there is room or not.
  void hold_anyway(std::uint64_t bytes) noexcept {
    used_.fetch_add(bytes, std::memory_order_relaxed);
  }

  void let_go(std::uint64_t bytes) noexcept {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  // -- what stays with its item

  /// What an item with its body in memory takes besides: an item that has none
  /// waits packed, and small bodies would be counted for a third.
  static constexpr std::uint64_t beside_body = 144;

  /// Takes room for a body, or says that there is none.
  bool take(std::size_t body_bytes) noexcept {
    const auto bytes = body_bytes + beside_body;
    if (kept_.fetch_add(bytes, std::memory_order_relaxed) + bytes
          <= limits_.kept_max
        && hold(bytes))
      return true;
    kept_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }

  void give_back(std::size_t body_bytes) noexcept {
    const auto bytes = body_bytes + beside_body;
    kept_.fetch_sub(bytes, std::memory_order_relaxed);
    let_go(bytes);
  }

  // -- looking

  /// All that is counted.
  std::uint64_t used() const noexcept {
    return used_.load(std::memory_order_relaxed);
  }

  std::uint64_t kept() const noexcept {
    return kept_.load(std::memory_order_relaxed);
  }

  const limits& most() const noexcept {
    return limits_;
  }

private:
  limits limits_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> kept_{0};
};

/// What one request holds of a budget until it ends. From one thread at a
/// time.
class held_memory {
public:
  explicit held_memory(std::shared_ptr<memory_budget> of) : of_(std::move(of)) {
    // nop
  }

  held_memory(const held_memory&) = delete;
  held_memory& operator=(const held_memory&) = delete;

  ~held_memory() {
    shrink(bytes_);
  }

  /// False, and nothing has changed, if there is no room.
  bool grow(std::uint64_t bytes) noexcept {
    if (!of_->hold(bytes))
      return false;
    bytes_ += bytes;
    return true;
  }

  /// For what is there already.
  void grow_anyway(std::uint64_t bytes) noexcept {
    of_->hold_anyway(bytes);
    bytes_ += bytes;
  }

  void shrink(std::uint64_t bytes) noexcept {
    of_->let_go(bytes);
    bytes_ -= bytes;
  }

  std::uint64_t bytes() const noexcept {
    return bytes_;
  }

private:
  std::shared_ptr<memory_budget> of_;
  std::uint64_t bytes_ = 0;
};

} // namespace depositd
