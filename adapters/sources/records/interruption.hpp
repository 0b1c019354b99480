#pragma once

// Lets any thread end what the thread of a source waits for.

#include "adapters/stores/files/file.hpp"
#include "messages/values/errors.hpp"

#include <atomic>
#include <chrono>
#include <mutex>

namespace depositd::sources {

class interruption {
public:
  /// A call that can be cancelled, while this lives. One at a time.
  class call {
  public:
    explicit call(interruption& x) : x_(x) {
      x_.begin();
    }
    ~call() {
      x_.end();
    }
    call(const call&) = delete;
    call& operator=(const call&) = delete;

  private:
    interruption& x_;
  };

  interruption();

  /// Counts for the call that is under way, if there is one. Any thread.
  void cancel() noexcept;

  /// Whether the call that is under way is cancelled.
  bool cancelled() const noexcept {
    return cancelled_;
  }

  /// Can be read once it is; -1 if the system had none left.
  int descriptor() const noexcept {
    return wake_.value();
  }

private:
  void begin();
  void end();

  std::mutex guard_;
  bool under_way_ = false;
  std::atomic<bool> cancelled_ = false;
  unique_fd wake_;
};

/// `ec::store_failed`.
caf::error was_cancelled();
caf::error took_too_long(std::chrono::milliseconds timeout);

} // namespace depositd::sources
