#pragma once

// Items that wait for long, in few bytes: what one has is mostly what the one
// before it had, and a little more.

#include "actors/rules/ledger/stored_item.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace depositd::rules {

class packed_items {
public:
  packed_items() = default;

  /// Of one priority and class, without bodies, at least one; ids rise.
  explicit packed_items(const std::vector<stored_item>& items);

  std::size_t size() const noexcept {
    return count_;
  }

  bool empty() const noexcept {
    return count_ == 0;
  }

  /// What they take in memory, without this object.
  std::size_t bytes() const noexcept {
    return bytes_count_;
  }

  /// As they were packed.
  std::vector<stored_item> unpacked() const;

private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::uint32_t bytes_count_ = 0;
  std::uint32_t count_ = 0;
  std::uint8_t priority_ = 0;
  size_class cls_ = 0;
};

} // namespace depositd::rules
