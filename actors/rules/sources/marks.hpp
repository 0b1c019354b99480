#pragma once

// Back pressure: how many records may be fed now. What is left behind the queue
// is told from time to time; what was fed since then counts as left.

#include "messages/values/sources.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace depositd::rules {

/// Feeds until `high` are left, never above; then holds until `low` are.
class marks {
public:
  explicit marks(const scheduler_settings& by);

  /// New marks count at once.
  void set(const scheduler_settings& by);

  /// So many are left. `on_the_way`: records that were fed and of which that
  /// number does not know yet.
  void measured(std::uint64_t left, std::uint64_t on_the_way = 0);

  /// Nobody has told yet: nothing is fed before that.
  bool known() const noexcept {
    return known_;
  }
  std::uint64_t left() const noexcept {
    return left_;
  }
  bool holding() const noexcept {
    return holding_;
  }

  /// Records that may be fed now.
  std::uint64_t room() const noexcept;

  // -- users

  /// A user's items that are left; only asked for under `high_per_user`.
  void measured_user(std::string_view user, std::uint64_t left);

  /// Records of this user that may be fed now, as far as its own mark goes.
  std::uint64_t room(std::string_view user) const;

  /// One record of the user is fed.
  void fed(std::string_view user);

  /// One item of the user is over.
  void ended(std::string_view user);

  /// One record of the user that was fed made no item. If it was this one that
  /// let the mark seem reached, it was not.
  void taken_back(std::string_view user);

private:
  void judge(bool exactly) noexcept;

  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
  std::uint64_t per_user_ = no_mark;
  std::uint64_t left_ = 0;
  bool known_ = false;
  bool holding_ = false;
  bool exact_ = false; ///< the mark was reached by what was measured
  std::unordered_map<std::string, std::uint64_t> of_user_;
};

} // namespace depositd::rules
