#pragma once

// Whose deposit is processed next, of those that are processed at once. A
// decision without an actor.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>

namespace depositd::crossref {

/// One user after the other, each in the order of its deposits. Who has none in
/// work comes before who has, and nobody has all that can be in work: however
/// long and many the uploads of one user are, no other waits for them alone.
class work_rounds {
public:
  using work = std::function<void()>;

  /// `at_once_max`: as many as can be worked on at one time, of all users.
  explicit work_rounds(std::uint32_t at_once_max)
    : at_once_max_(at_once_max), own_max_(std::max(at_once_max, 2u) - 1) {
    // nop
  }

  void wait(const std::string& user, work what);

  /// It is in work from now on. Nothing if nobody waits who may have more in
  /// work, or as much is in work as can be.
  work next();

  /// One of the user's, which was in work, is no longer. Whatever else waits of
  /// the user comes behind all others.
  void ended(const std::string& user);

private:
  std::uint32_t in_work_of(const std::string& user) const;

  std::uint32_t at_once_max_;
  std::uint32_t own_max_; ///< of them, for one user
  std::uint32_t in_work_ = 0;
  std::unordered_map<std::string, std::uint32_t> in_work_by_user_;
  std::unordered_map<std::string, std::deque<work>> waiting_;
  std::deque<std::string> turns_; ///< users of whom something waits
};

} // namespace depositd::crossref
