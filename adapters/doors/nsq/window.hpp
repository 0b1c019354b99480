#pragma once

// How many messages a consumer is asked for: RDY is the most that may be
// unfinished at once. A decision without a socket.

#include <algorithm>
#include <cstdint>

namespace depositd::nsq {

class window {
public:
  struct step {
    bool cancel = false;   ///< first, take back all that was asked for
    std::uint32_t ask = 0; ///< then ask for so many more
  };

  void set_ready(std::uint32_t count) {
    ready_ = count;
  }

  std::uint32_t ready() const {
    return ready_;
  }

  /// Whether one more message may go out now.
  bool open(std::size_t in_flight) const {
    return in_flight < ready_;
  }

  /// What to tell the queue now. No more than `most` are asked for at once.
  step next(std::size_t in_flight, std::uint32_t most) {
    const auto held =
      static_cast<std::uint32_t>(std::min<std::size_t>(in_flight, ready_));
    const auto free = ready_ - held;
    step out;
    if (asked_ > free) {
      out.cancel = true;
      asked_ = 0;
    }
    const auto wanted = std::min(free, most);
    if (asked_ < wanted) {
      out.ask = wanted - asked_;
      asked_ = wanted;
    }
    return out;
  }

  /// So many have come of those that were asked for.
  void arrived(std::size_t count) {
    asked_ -= static_cast<std::uint32_t>(std::min<std::size_t>(count, asked_));
  }

private:
  std::uint32_t ready_ = 0;
  std::uint32_t asked_ = 0; ///< and not answered yet
};

} // namespace depositd::nsq
