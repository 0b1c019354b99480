#pragma once

#include <algorithm>
#include <cstdint>

namespace depositd::rules {

/// How large slices are made. What the tables did not take, for its size or the
/// time that it took, they are not given again as it was: each refusal halves
/// the next one, and some in a row that are taken let them grow again.
class slice_size {
public:
  /// What the tables have said to a slice.
  void note(bool is_taken) noexcept {
    taken_ = is_taken ? taken_ + 1 : 0;
    if (!is_taken)
      halvings_ = std::min(halvings_ + 1, halvings_max);
    if (taken_ < taken_min)
      return;
    halvings_ -= halvings_ > 0 ? 1 : 0;
    taken_ = 0;
  }

  /// Of what the largest slices may have; never nothing.
  std::uint64_t part_of(std::uint64_t most) const noexcept {
    return std::max<std::uint64_t>(1, most >> halvings_);
  }

private:
  /// To one group of the journal.
  static constexpr std::uint32_t halvings_max = 17;
  static constexpr std::uint32_t taken_min = 16;

  std::uint32_t halvings_ = 0;
  std::uint32_t taken_ = 0; ///< in a row, of that size
};

} // namespace depositd::rules
