#pragma once

// How evenly something was shared out among those who all wanted it.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace depositd::rules {

/// Sums over what each got, divided by what it is to get of a turn.
class shares {
public:
  void add(double got) noexcept {
    least_ = count_ == 0 ? got : std::min(least_, got);
    sum_ += got;
    squares_ += got * got;
    ++count_;
  }

  std::size_t count() const noexcept {
    return count_;
  }

  double mean() const noexcept {
    return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
  }

  /// Jain's index: 1 if all got the same, 1/n if one of n got everything. 1 if
  /// nobody got anything, which is even, too.
  double evenness() const noexcept {
    return squares_ == 0
             ? 1
             : sum_ * sum_ / (static_cast<double>(count_) * squares_);
  }

  /// The part of a fair share that whoever got least lacks: 0 to 1.
  double lag() const noexcept {
    return sum_ == 0 ? 0 : 1 - least_ / mean();
  }

private:
  double sum_ = 0;
  double squares_ = 0;
  double least_ = 0;
  std::size_t count_ = 0;
};

/// What is known of a user between two looks.
struct share_before {
  std::uint64_t picks = 0;        ///< when the last step ended
  std::uint64_t picks_judged = 0; ///< when shares were judged last
  std::uint64_t spent_judged = 0; ///< likewise, in a queue fair by cost
  bool competes = false;          ///< could have been served all the time since
};

/// Shares are judged when those who compete have had so many turns each: with
/// fewer a turn more or less would look like a lack of fairness.
inline constexpr double turns_judged_min = 4;

/// ... or after so many steps, whatever they had.
inline constexpr std::uint32_t steps_judged_max = 360;

} // namespace depositd::rules
