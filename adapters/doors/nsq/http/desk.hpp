#pragma once

// Where long answers are written, so that neither a shard nor the sockets wait
// for documents about thousands of channels.

#include "adapters/doors/kit/loop.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace depositd::nsq_http {

/// One thread. As many tasks wait as there are requests: each has one.
class desk {
public:
  /// Throws `std::system_error` if the system has no threads or descriptors
  /// left.
  desk() : loop_(kit::start_loop()) {
    // nop
  }

  /// Runs it in the desk's thread, in the order of the calls; drops it once
  /// closed. Any thread.
  void write(kit::loop::task what) {
    const std::lock_guard lock{guard_};
    if (!closed_)
      loop_->post(std::move(what));
  }

  /// Waits for what is being written. From another thread.
  void close() {
    {
      const std::lock_guard lock{guard_};
      closed_ = true;
    }
    loop_->stop();
  }

private:
  std::mutex guard_; ///< held for moments
  bool closed_ = false;
  const std::unique_ptr<kit::loop> loop_;
};

} // namespace depositd::nsq_http
