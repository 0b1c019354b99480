#pragma once

// Receivers that have said when they want to be called again.

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace depositd {

/// By host and port. May be used from several threads; forgotten with the
/// process.
class receiver_rests {
public:
  using clock = std::chrono::steady_clock;

  /// Whatever a receiver asks for, it is called after so long: nobody else
  /// could say that it means to be called never.
  static constexpr std::chrono::seconds longest{3'600};
  /// Receivers that are remembered; those whose rest is over first go first.
  static constexpr std::size_t known_max = 10'000;

  /// `now`: null is the steady clock.
  explicit receiver_rests(std::function<clock::time_point()> now = nullptr)
    : now_(now ? std::move(now) : clock::now) {
    // nop
  }

  /// It asked to be left alone for so long. What was asked last counts.
  void ask(const std::string& receiver, std::chrono::seconds rest) {
    const std::lock_guard guard{mutex_};
    if (rest.count() <= 0)
      return;
    const auto now = now_();
    until_[receiver] = now + std::min(rest, longest);
    if (until_.size() <= known_max)
      return;
    std::erase_if(until_, [now](const auto& x) { return x.second <= now; });
    if (until_.size() > known_max)
      until_.erase(std::min_element(
        until_.begin(), until_.end(),
        [](const auto& x, const auto& y) { return x.second < y.second; }));
  }

  /// How long it is still to be left alone; zero: it may be called.
  std::chrono::milliseconds left(const std::string& receiver) {
    const std::lock_guard guard{mutex_};
    const auto found = until_.find(receiver);
    if (found == until_.end())
      return {};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      found->second - now_());
    if (left.count() > 0)
      return left;
    until_.erase(found);
    return {};
  }

private:
  const std::function<clock::time_point()> now_;
  std::mutex mutex_; ///< guards what follows
  std::map<std::string, clock::time_point> until_;
};

} // namespace depositd
