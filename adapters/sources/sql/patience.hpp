#pragma once

// How long one question may take. Another thread can put an end to it.

#include "adapters/sources/records/interruption.hpp"
#include "messages/values/errors.hpp"

#include <chrono>

namespace depositd::sources::sql {

/// While this lives a question is under way, and `by` ends it.
class patience {
public:
  patience(interruption& by, std::chrono::milliseconds timeout);

  /// `ec::store_failed` once it was cancelled or its time is over.
  caf::error check() const;

  bool ended() const noexcept;

  /// Of all of it.
  std::chrono::milliseconds timeout() const noexcept {
    return timeout_;
  }

  /// At least 0.
  std::chrono::milliseconds left() const noexcept;

  /// Blocks until `socket` is ready for `events` of poll(2). Else the error of
  /// `check`.
  caf::error await(int socket, short events) const;

  /// Blocks that long, or until it was cancelled.
  void pause(std::chrono::milliseconds time) const noexcept;

private:
  using clock = std::chrono::steady_clock;

  interruption& by_;
  const interruption::call call_;
  const std::chrono::milliseconds timeout_;
  const clock::time_point until_;
};

} // namespace depositd::sources::sql
