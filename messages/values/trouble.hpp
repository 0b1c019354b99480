#pragma once

// What is tried again and again while it goes wrong, and what is said of it.

#include <string>
#include <utility>

namespace depositd {

/// So that each reason is told once, and once that it is over. Whoever tries
/// has one, in one thread.
class trouble {
public:
  /// It went wrong, not for the first time perhaps: whether to tell this
  /// reason, which is not empty.
  bool is_new(std::string reason) {
    if (reason == reason_)
      return false;
    reason_ = std::move(reason);
    return true;
  }

  /// It went well: whether to tell that, since it went wrong before.
  bool is_over() {
    return !std::exchange(reason_, {}).empty();
  }

private:
  std::string reason_; ///< told last; empty: it goes well
};

} // namespace depositd
