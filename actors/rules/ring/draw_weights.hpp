#pragma once

// Which of several doors gets the next visit, in proportion to how many users
// wait behind each: smooth weighted round robin. Pure: no clock, no chance.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace depositd::rules {

/// Doors are places in a list that only grows. Hand-outs are what is shared
/// out, not attempts: a visit that found nothing costs a door nothing.
class draw_weights {
public:
  /// Users who can be served behind the door, from now on. 0: it is not
  /// visited; what it is ahead or behind by then wears off while others are.
  void weigh(std::size_t door, std::uint32_t users);

  std::uint32_t weight(std::size_t door) const noexcept;

  /// The door to visit next; none if nobody can be served anywhere.
  std::optional<std::size_t> next() const;

  /// A door has handed an item out, whether it was its turn or not.
  void served(std::size_t door);

private:
  void wear_off(bool nobody_else);

  struct place {
    std::uint32_t weight = 0;
    /// Hand-outs that it is behind (positive) or ahead of its share. In
    /// hand-outs, not in weights, so that old weights leave no debts behind.
    double behind = 0;
  };

  double share(const place& x) const noexcept {
    return static_cast<double>(x.weight) / static_cast<double>(sum_);
  }

  std::vector<place> doors_;
  std::uint64_t sum_ = 0; ///< of all weights
};

} // namespace depositd::rules
