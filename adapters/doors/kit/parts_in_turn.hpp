#pragma once

// What is asked in several parts, few of them at a time: what others ask comes
// in between, instead of behind all of them.

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace depositd::kit {

/// Parts go in their order. Whoever asks is `ask(part, turn)`, and keeps the
/// turn, a `shared_ptr`, until the part's answer has come; then `turn->next()`.
/// Parts that come after one without an answer may never be asked. Any thread.
template <class Part, class Ask>
class parts_in_turn
  : public std::enable_shared_from_this<parts_in_turn<Part, Ask>> {
public:
  parts_in_turn(std::vector<Part> parts, Ask ask)
    : parts_(std::move(parts)), ask_(std::move(ask)) {
    // nop
  }

  void next() {
    // Held while a part is sent, or two threads would change their order.
    const std::lock_guard lock{guard_};
    if (begun_ == parts_.size())
      return;
    auto& part = parts_[begun_++];
    ask_(std::move(part), this->shared_from_this());
  }

private:
  std::recursive_mutex guard_; ///< answers may come before `ask_` returns
  std::vector<Part> parts_;
  std::size_t begun_ = 0;
  Ask ask_;
};

/// Begins with as many as may be on their way at once.
template <class Part, class Ask>
void ask_in_turn(std::vector<Part> parts, std::size_t at_once, Ask ask) {
  const auto out = std::make_shared<parts_in_turn<Part, Ask>>(std::move(parts),
                                                              std::move(ask));
  for (std::size_t i = 0; i < at_once; ++i)
    out->next();
}

} // namespace depositd::kit
