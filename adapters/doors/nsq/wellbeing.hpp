#pragma once

#include "messages/values/errors.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <utility>

namespace depositd::nsq {

/// What /ping and /stats say of the store: one write that failed makes the
/// engine unwell until another succeeds, or for a while if nobody tries. Any
/// thread.
class wellbeing {
public:
  using time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds remembered{10};

  void failed(std::string why, time now) {
    const std::lock_guard lock{guard_};
    why_ = std::move(why);
    until_ = now + remembered;
  }

  /// What the engine has said to a publisher; a refusal of this message alone
  /// says nothing of the engine.
  void learn(const caf::error& why, time now) {
    if (!why)
      worked();
    else if (why == ec::store_failed || why == ec::store_damaged
             || why == ec::overloaded)
      failed(render(why), now);
  }

  void worked() {
    const std::lock_guard lock{guard_};
    why_.clear();
  }

  /// "OK", or "NOK - " and the reason, as nsqd says it.
  std::string text(time now) const {
    const std::lock_guard lock{guard_};
    return why_.empty() || now >= until_ ? "OK" : "NOK - " + why_;
  }

private:
  mutable std::mutex guard_;
  std::string why_;
  time until_{};
};

} // namespace depositd::nsq
