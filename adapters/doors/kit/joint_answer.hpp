#pragma once

// One answer to what was asked in several parts.

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace depositd::kit {

/// Gives `then` the first bad answer to a part, or if none is bad the last one,
/// when all have come. Any thread.
template <class Answer, class Then>
class joint_answer {
public:
  /// `parts` is at least 1.
  joint_answer(std::size_t parts, Then then)
    : open_(parts), then_(std::move(then)) {
    // nop
  }

  void take(Answer part, bool is_bad) {
    const std::lock_guard lock{guard_};
    if (!bad_)
      answer_ = std::move(part);
    bad_ = bad_ || is_bad;
    if (--open_ == 0)
      then_(std::move(answer_));
  }

private:
  std::mutex guard_;
  std::size_t open_;
  Then then_;
  Answer answer_{};
  bool bad_ = false;
};

template <class Answer, class Then>
auto make_joint_answer(std::size_t parts, Then then) {
  return std::make_shared<joint_answer<Answer, Then>>(parts, std::move(then));
}

} // namespace depositd::kit
