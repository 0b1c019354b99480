#include "adapters/stores/postgres/postgres_journal_store.hpp"

#include "adapters/stores/postgres/journal_reader.hpp"
#include "adapters/stores/postgres/journal_writer.hpp"
#include "adapters/stores/postgres/migrations.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace depositd {

namespace {

using namespace postgres;

/// Does something now and then in a thread of its own, until it is gone.
class heartbeat {
public:
  heartbeat(std::chrono::milliseconds pause, std::function<void()> beat) {
    try {
      thread_ = std::thread{
        [this, pause, beat = std::move(beat)] { run(pause, beat); }};
    } catch (const std::system_error& error) {
      // Without it the session lasts for as long as something is written.
      spdlog::warn("journal_session_not_kept reason=\"{}\"", error.what());
    }
  }

  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;

  ~heartbeat() {
    {
      const std::lock_guard guard{mutex_};
      over_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable())
      thread_.join();
  }

private:
  void run(std::chrono::milliseconds pause, const std::function<void()>& beat) {
    std::unique_lock guard{mutex_};
    while (!ended_.wait_for(guard, pause, [this] { return over_; })) {
      guard.unlock();
      beat();
      guard.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

class postgres_journal_store final : public journal_store {
public:
  explicit postgres_journal_store(const postgres_journal_options& options)
    : log_(std::make_shared<journal_view>()),
      writer_(options, log_),
      reader_(options.server, log_),
      pause_(options.session_pause_ms) {
    // nop
  }

  caf::error open() {
    if (auto error = writer_.open())
      return error;
    if (writer_.holds_by_session())
      session_.emplace(pause_, [this] { writer_.keep(); });
    return {};
  }

  epoch_number epoch() const override {
    return writer_.epoch();
  }

  sequence last() const override {
    return log_->last.load(std::memory_order_acquire);
  }

  caf::expected<std::uint64_t>
  append(std::string_view bytes, std::uint32_t events,
         const std::vector<watermark>& watermarks) override {
    return writer_.append(bytes, events, watermarks);
  }

  caf::error
  read(sequence from,
       const std::function<bool(const stored_group&)>& show) override {
    return reader_.read(from, show);
  }

  caf::expected<std::string> read_body(const body_location& place) override {
    return reader_.read_body(place);
  }

  std::vector<watermark> watermarks() override {
    return writer_.watermarks();
  }

  std::vector<segment> segments() override {
    return log_->segments.list();
  }

  caf::error drop(std::uint64_t number) override {
    return reader_.drop(number, writer_.epoch());
  }

  std::uint64_t disk_bytes() override {
    return reader_.disk_bytes();
  }

  caf::error backup(const std::filesystem::path&) override {
    return caf::make_error(ec::store_failed,
                           "the store is in PostgreSQL: back it up with its "
                           "own tools, pg_dump or pg_basebackup");
  }

private:
  std::shared_ptr<journal_view> log_;
  journal_writer writer_;
  journal_reader reader_;
  std::chrono::milliseconds pause_;
  std::optional<heartbeat> session_; ///< ends before what it keeps
};

} // namespace

caf::expected<std::unique_ptr<journal_store>>
open_postgres_journal(const postgres_journal_options& options) {
  auto out = std::make_unique<postgres_journal_store>(options);
  if (auto error = out->open())
    return error;
  return std::unique_ptr<journal_store>{std::move(out)};
}

} // namespace depositd
