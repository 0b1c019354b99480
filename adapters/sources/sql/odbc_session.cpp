#include "adapters/sources/sql/odbc_session.hpp"

#include "adapters/sources/sql/odbc_link.hpp"
#include "adapters/stores/files/file.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>

namespace depositd::sources::sql {

namespace {

/// Threads whose driver does not come back.
constexpr int left_behind_max = 4;
/// For a driver to come back when it is interrupted.
constexpr std::chrono::milliseconds grace{1'000};
constexpr std::chrono::milliseconds between_cancels{20};

/// One question on its way. Belongs to who asks and to the thread that works on
/// it.
class job {
public:
  job(std::shared_ptr<odbc_link> by, question what,
      std::chrono::milliseconds time)
    : by_(std::move(by)), what_(std::move(what)), time_(time),
      done_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    // nop
  }

  /// Negative if there are no more handles.
  int done() const noexcept {
    return done_.value();
  }

  void run() {
    out_.emplace(by_->ask(what_, time_));
    ::eventfd_write(done_.value(), 1);
  }

  /// Whether it is done soon. A driver may miss the first interruption, between
  /// two of its calls.
  bool interrupt() {
    for (auto left = grace; left.count() > 0; left -= between_cancels) {
      by_->cancel();
      pollfd wanted{done_.value(), POLLIN, 0};
      if (::poll(&wanted, 1, static_cast<int>(between_cancels.count())) > 0)
        return true;
    }
    return false;
  }

  /// Only behind the end of its thread.
  caf::expected<answer> take() {
    return std::move(*out_);
  }

private:
  const std::shared_ptr<odbc_link> by_;
  const question what_;
  const std::chrono::milliseconds time_;
  const unique_fd done_; ///< readable when `run` has ended
  std::optional<caf::expected<answer>> out_;
};

class odbc_session final : public session {
public:
  explicit odbc_session(std::string connection)
    : connection_(std::move(connection)),
      running_(std::make_shared<std::atomic<int>>(0)) {
    // nop
  }

  caf::expected<answer> ask(const question& x, const patience& until) override {
    const bool kept = link_ != nullptr;
    auto out = ask_once(x, until);
    const bool lost = link_ == nullptr || link_->lost();
    if (lost)
      link_.reset();
    // One that was kept may have died long ago: reading may be repeated.
    if (!out && kept && lost && !until.ended())
      return ask_once(x, until);
    return out;
  }

private:
  caf::expected<answer> ask_once(const question& x, const patience& until) {
    if (auto over = until.check())
      return over;
    if (*running_ >= left_behind_max)
      return caf::make_error(ec::store_failed,
                             "odbc: the driver still works on "
                               + std::to_string(left_behind_max)
                               + " questions that were given up");
    if (!link_)
      link_ = std::make_shared<odbc_link>(connection_);
    const auto work = std::make_shared<job>(link_, x, until.left());
    if (work->done() < 0)
      return caf::make_error(ec::store_failed,
                             "odbc: no handle for waiting is left");
    std::thread worker;
    try {
      ++*running_;
      worker = std::thread{[work, running = running_] {
        work->run();
        --*running;
      }};
    } catch (const std::system_error&) {
      --*running_;
      return caf::make_error(ec::store_failed,
                             std::string{"odbc: no thread is left"});
    }
    auto late = until.await(work->done(), POLLIN);
    if (late) {
      const bool ended = work->interrupt();
      link_.reset();
      if (!ended) {
        worker.detach();
        return late;
      }
    }
    worker.join();
    if (late)
      return late;
    return work->take();
  }

  const std::string connection_;
  std::shared_ptr<odbc_link> link_;
  std::shared_ptr<std::atomic<int>> running_; ///< threads
};

} // namespace

caf::expected<std::unique_ptr<session>>
make_odbc_session(const std::string& connection) {
  constexpr auto bytes_max = std::numeric_limits<std::int16_t>::max();
  if (connection.empty() || connection.size() > bytes_max)
    return caf::make_error(ec::invalid_argument,
                           "url: expected odbc:CONNECTION STRING");
  std::unique_ptr<session> out = std::make_unique<odbc_session>(connection);
  return out;
}

} // namespace depositd::sources::sql
