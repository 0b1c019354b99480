#pragma once

// Who sends mails and callbacks, in tests: remembers them.

#include "messages/ports/notifiers.hpp"

#include <chrono>
#include <functional>
#include <utility>
#include <vector>

namespace depositd::testing {

/// Takes what it is given, or fails as it was told to.
class noted_mails final : public mailer {
public:
  caf::error send(const mail& x) override {
    if (!failure)
      sent.push_back(x);
    return failure;
  }

  std::vector<mail> sent;
  caf::error failure;
};

/// Remembers all, also those that it was told to fail with.
class noted_callbacks final : public callback_sender {
public:
  caf::error send(const callback& x) override {
    asked.push_back(x);
    if (const auto others = std::exchange(meanwhile, nullptr))
      others();
    return failure;
  }

  std::chrono::milliseconds rest_of(const std::string&) override {
    return rest;
  }

  std::vector<callback> asked;
  std::chrono::milliseconds rest{0}; ///< that every receiver wants
  caf::error failure;
  /// What happens before the next answer; null: nothing.
  std::function<void()> meanwhile;
};

} // namespace depositd::testing
