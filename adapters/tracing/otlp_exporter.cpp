#include "adapters/tracing/otlp_exporter.hpp"

#include "adapters/fetching/guarded_request.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

namespace depositd {

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

/// Of an answer: nobody looks at it.
constexpr std::size_t answer_bytes_max = 64 * 1024;

enum class taking { done, later, never };

class otlp_exporter final : public span_sink {
public:
  otlp_exporter(otlp_options options, const web_url& url)
    : options_(std::move(options)), url_(url.text),
      // The operator has named it, so it may be anywhere.
      guard_({endpoint{url.host, url.port}}) {
    limits_.connect = options_.time_limit;
    limits_.stalled = options_.time_limit;
    limits_.redirects_max = 0;
    limits_.ca_file = options_.ca_file;
    thread_ = std::thread{[this] { run(); }};
  }

  ~otlp_exporter() override {
    {
      const std::lock_guard guard{mutex_};
      stopping_ = true;
    }
    woken_.notify_all();
    thread_.join();
  }

  void offer(std::vector<span> what) override {
    std::size_t taken = 0;
    {
      const std::lock_guard guard{mutex_};
      const auto room =
        options_.waiting_max - std::min(options_.waiting_max, waiting_.size());
      taken = std::min(room, what.size());
      std::move(what.begin(), what.begin() + static_cast<std::ptrdiff_t>(taken),
                std::back_inserter(waiting_));
    }
    dropped_ += what.size() - taken;
    woken_.notify_all();
  }

  std::uint64_t dropped() const override {
    return dropped_;
  }

private:
  /// The next batch; empty: it is over.
  std::vector<span> next() {
    std::unique_lock lock{mutex_};
    woken_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    woken_.wait_for(lock, options_.linger, [this] {
      return stopping_ || waiting_.size() >= options_.batch_max;
    });
    const auto count = std::min(waiting_.size(), options_.batch_max);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<span> out{std::make_move_iterator(waiting_.begin()),
                          std::make_move_iterator(end)};
    waiting_.erase(waiting_.begin(), end);
    if (stopping_ && give_up_ == steady::time_point{})
      give_up_ = steady::now() + options_.time_limit;
    return out;
  }

  void run() {
    for (;;) {
      const auto batch = next();
      if (batch.empty())
        return;
      send(batch);
    }
  }

  void send(const std::vector<span>& batch) {
    const auto text = otlp_text(batch, options_.from);
    auto pause = options_.retry_delay;
    auto how = taking::later;
    for (std::uint32_t i = 0; i < options_.tries; ++i, pause *= 2) {
      how = post(text);
      if (how != taking::later || is_over(pause))
        break;
    }
    if (how != taking::done)
      dropped_ += batch.size();
    tell(how != taking::done);
  }

  /// Waits for the next try, unless there is none.
  bool is_over(std::chrono::milliseconds pause) {
    std::unique_lock lock{mutex_};
    return woken_.wait_for(lock, pause, [this] { return stopping_; });
  }

  taking post(const std::string& text) {
    auto within = options_.time_limit;
    if (give_up_ != steady::time_point{})
      within = std::chrono::duration_cast<std::chrono::milliseconds>(
        give_up_ - steady::now());
    if (within <= 0ms)
      return taking::never;
    web_request x;
    x.url = url_;
    x.post = text;
    x.headers = {"Content-Type: application/json", "Expect:"};
    x.within = within;
    std::size_t bytes = 0;
    x.body = [&bytes](std::string_view piece) {
      bytes += piece.size();
      return bytes <= answer_bytes_max
               ? caf::error{}
               : caf::make_error(ec::too_large, "a long answer");
    };
    const auto said = perform(x, guard_, limits_);
    const auto status = said.answer.status;
    if (status >= 200 && status < 300)
      return taking::done;
    reason_ = status > 0 ? "the collector answers " + std::to_string(status)
                         : render(said.failure);
    return status == 0 || status == 429 || status >= 502 ? taking::later
                                                         : taking::never;
  }

  /// Once when it begins and once when it is over.
  void tell(bool trouble) {
    if (trouble && !trouble_)
      spdlog::warn("spans_not_taken endpoint={} dropped={} reason=\"{}\"",
                   options_.endpoint, dropped(), reason_);
    else if (!trouble && trouble_)
      spdlog::info("spans_taken endpoint={} dropped={}", options_.endpoint,
                   dropped());
    trouble_ = trouble;
  }

  const otlp_options options_;
  const std::string url_;
  const address_guard guard_;
  web_limits limits_;
  std::atomic<std::uint64_t> dropped_ = 0;

  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<span> waiting_; ///< with `stopping_` under the mutex
  bool stopping_ = false;

  // Of the thread.
  std::string reason_;
  bool trouble_ = false;
  steady::time_point give_up_; ///< of what is left at the end

  std::thread thread_;
};

} // namespace

caf::expected<std::unique_ptr<span_sink>>
make_otlp_exporter(otlp_options options) {
  while (options.endpoint.ends_with('/'))
    options.endpoint.pop_back();
  const auto url = parse_url(options.endpoint + "/v1/traces");
  if (!url)
    return caf::make_error(ec::bad_setting,
                           "trace.endpoint: " + render(url.error()));
  return std::unique_ptr<span_sink>{
    std::make_unique<otlp_exporter>(std::move(options), *url)};
}

} // namespace depositd
