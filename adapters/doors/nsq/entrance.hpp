#pragma once

// Who may be connected, over all threads of the door.

#include "adapters/doors/kit/turnstile.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace depositd::nsq {

/// A turnstile for several threads. Any thread.
class entrance {
public:
  explicit entrance(const kit::arrival_limits& limits) : gate_(limits) {
    // nop
  }

  /// One comes; the number is its place. Another may have to go for it.
  std::uint64_t enter(const std::string& address) {
    std::function<void()> end;
    std::uint64_t out = 0;
    {
      const std::lock_guard lock{guard_};
      out = ++last_;
      const auto now = std::chrono::steady_clock::now();
      if (const auto other = gate_.enter(out, kit::holder_of(address), now)) {
        if (const auto at = endings_.find(*other); at != endings_.end()) {
          end = std::move(at->second);
          endings_.erase(at);
        } else {
          doomed_.insert(*other);
        }
      }
    }
    if (end)
      end();
    return out;
  }

  /// How it can be ended.
  void ends_by(std::uint64_t place, std::function<void()> end) {
    {
      const std::lock_guard lock{guard_};
      if (doomed_.erase(place) == 0) {
        endings_[place] = std::move(end);
        return;
      }
    }
    end(); // another has had to come in already
  }

  /// It speaks the protocol; false: one too many, it has to go.
  bool finish(std::uint64_t place) {
    const std::lock_guard lock{guard_};
    endings_.erase(place);
    return gate_.finish(place);
  }

  void leave(std::uint64_t place) {
    const std::lock_guard lock{guard_};
    endings_.erase(place);
    doomed_.erase(place);
    gate_.leave(place);
  }

private:
  std::mutex guard_;
  kit::turnstile gate_;
  std::unordered_map<std::uint64_t, std::function<void()>> endings_;
  std::unordered_set<std::uint64_t> doomed_; ///< before they could be ended
  std::uint64_t last_ = 0;
};

} // namespace depositd::nsq
