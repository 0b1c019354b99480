#pragma once

// Answers leave in the order of their commands, although some of them wait for
// a commit.

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace depositd::nsq {

/// The answers that one connection is owed.
class answer_queue {
public:
  using number = std::uint64_t;

  /// One that is known: a whole frame.
  void add(std::string frame) {
    open_.push_back({true, std::move(frame)});
  }

  /// One that is still to come.
  number expect() {
    open_.emplace_back();
    return first_ + open_.size() - 1;
  }

  /// It has come; empty: nothing is said. A number that is over changes
  /// nothing.
  void complete(number which, std::string frame) {
    if (which < first_ || which - first_ >= open_.size())
      return;
    auto& x = open_[static_cast<std::size_t>(which - first_)];
    x.known = true;
    x.frame = std::move(frame);
  }

  /// Gives all that nothing before them holds up any more to `send`.
  template <class F>
  void drain(F send) {
    for (; !open_.empty() && open_.front().known; ++first_) {
      if (!open_.front().frame.empty())
        send(open_.front().frame);
      open_.pop_front();
    }
  }

  bool empty() const {
    return open_.empty();
  }

  std::size_t size() const {
    return open_.size();
  }

private:
  struct answer {
    bool known = false;
    std::string frame;
  };

  std::deque<answer> open_;
  number first_ = 0;
};

} // namespace depositd::nsq
