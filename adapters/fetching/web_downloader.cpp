#include "adapters/fetching/web_downloader.hpp"

#include "adapters/fetching/partial_file.hpp"
#include "messages/values/shown_addresses.hpp"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

namespace depositd {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint32_t measure_tries = 2;

/// What may be different later.
bool is_passing(long status) {
  return status >= 500 || status == 408 || status == 425 || status == 429;
}

caf::error status_failure(long status, const std::string& url) {
  const auto text = without_secrets(url).substr(0, 200)
                    + " is answered with " + std::to_string(status);
  return caf::make_error(is_passing(status) ? ec::overloaded : ec::not_found,
                         text);
}

/// One file, with as many requests as it takes.
class fetching {
public:
  fetching(const download_request& x, const address_guard& guard,
           const web_downloader_options& options, disk_floor& floor)
    : x_(x), guard_(guard), options_(options), limits_(options.limits),
      file_(x, floor), deadline_(clock::now() + options.file_limit) {
    limits_.stopped = [this] { return is_stopped(); };
  }

  fetching(const fetching&) = delete;

  caf::expected<download_result> run() {
    if (auto failure = file_.open())
      return failure;
    bool continued = file_.bytes() > 0;
    for (;;) {
      if (auto failure = fetch_bytes())
        return give_up(std::move(failure));
      auto out = file_.complete();
      // What an earlier attempt has left may be of another version.
      if (!out && out.error() == ec::store_damaged && continued) {
        continued = false;
        validator_.clear();
        if (auto failure = file_.restart())
          return failure;
        continue;
      }
      if (!out)
        return give_up(std::move(out.error()));
      out->requests = requests_;
      if (x_.stopped)
        static_cast<void>(x_.stopped(more())); // it is there
      return out;
    }
  }

private:
  /// What is wrong for good is not continued; nor is what others have no room
  /// beside.
  caf::error give_up(caf::error failure) {
    if ((failure != ec::overloaded && failure != ec::store_failed)
        || file_.has_filled_disk()) {
      auto path = x_.to;
      path += ".part";
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
    return failure;
  }

  /// Until the last byte is there.
  caf::error fetch_bytes() {
    for (std::uint32_t stalls = 0;;) {
      const auto before = file_.bytes();
      auto ending = ask();
      if (!ending.failure)
        return {};
      if (ending.failure != ec::overloaded)
        return std::move(ending.failure);
      const bool progress = file_.bytes() > before + min_progress();
      stalls = progress ? 0 : stalls + 1;
      if (stalls >= options_.stalls_max || requests_ >= options_.requests_max
          || clock::now() >= deadline_ || is_stopped())
        return std::move(ending.failure);
      if (!progress)
        wait(stalls);
    }
  }

  bool is_stopped() {
    const auto& stopped = options_.limits.stopped;
    return (stopped && stopped()) || (x_.stopped && x_.stopped(more()));
  }

  /// Bytes that were not told of yet; one that begins anew has fewer.
  std::uint64_t more() {
    const auto before = std::exchange(told_, file_.bytes());
    return told_ - std::min(before, told_);
  }

  /// Less than what a server sends that is as slow as is allowed is none.
  std::uint64_t min_progress() const {
    const auto& limits = options_.limits;
    return std::uint64_t{limits.rate_min}
           * static_cast<std::uint64_t>(limits.stalled.count()) / 1'000;
  }

  void wait(std::uint32_t stalls) const {
    const auto delay = options_.retry_delay * (1u << std::min(stalls - 1, 6u));
    std::this_thread::sleep_until(std::min(clock::now() + delay, deadline_));
  }

  web_ending ask() {
    ++requests_;
    web_request request;
    request.url = x_.url;
    const auto from = file_.bytes();
    if (from > 0) {
      request.headers.push_back("Range: bytes=" + std::to_string(from) + "-");
      if (!validator_.empty())
        request.headers.push_back("If-Range: " + validator_);
    }
    request.within = std::chrono::duration_cast<milliseconds>(
      std::max(deadline_ - clock::now(), clock::duration{1}));
    request.begin = [this](const web_answer& x) { return begin(x); };
    request.body = [this](std::string_view bytes) {
      return file_.append(bytes);
    };
    complete_ = false;
    auto out = perform(request, guard_, limits_);
    if (complete_)
      out.failure = caf::error{};
    return out;
  }

  caf::error begin(const web_answer& x) {
    const auto from = file_.bytes();
    if (x.status == 416 && from > 0) {
      // Everything was there, or it was too much.
      if (x.range_total == from) {
        complete_ = true;
        return caf::make_error(ec::overloaded, "nothing is left");
      }
      return again("the server has less than is there");
    }
    if (x.status != 200 && x.status != 206)
      return status_failure(x.status, x_.url);
    if (x.has_odd_length)
      return caf::make_error(ec::malformed,
                             "the answer tells a length that is none");
    if (x.status == 206 && x.range_first != from)
      return again("the server sends another part");
    if (x.status == 206 && total_ && x.range_total && total_ != x.range_total)
      return again("the file has changed");
    if (x.status == 200 && from > 0)
      if (auto failure = file_.restart())
        return failure;
    if (x.status == 206)
      total_ = x.range_total;
    else
      total_ = x.length;
    validator_ = x.validator;
    return total_ ? file_.admit(*total_) : caf::error{};
  }

  caf::error again(const char* reason) {
    validator_.clear();
    total_.reset();
    if (auto failure = file_.restart())
      return failure;
    return caf::make_error(ec::overloaded, reason);
  }

  const download_request& x_;
  const address_guard& guard_;
  const web_downloader_options& options_;
  web_limits limits_; ///< with whoever may stop this one
  partial_file file_;
  std::uint64_t told_ = 0;
  const clock::time_point deadline_;
  std::uint32_t requests_ = 0;
  std::optional<std::uint64_t> total_;
  std::string validator_;
  bool complete_ = false; ///< although the request failed
};

class web_downloader final : public downloader {
public:
  web_downloader(const address_guard& guard, web_downloader_options options)
    : guard_(guard), options_(std::move(options)),
      floor_(options_.disk_free_min) {
    // nop
  }

  caf::expected<remote_size> measure(const std::string& url) override {
    caf::error failure;
    for (std::uint32_t i = 0; i < measure_tries; ++i) {
      if (options_.limits.stopped && options_.limits.stopped())
        return caf::make_error(ec::draining, "the engine ends");
      auto found = ask_size(url, true);
      // Many servers do not know the method, or do not tell the length.
      if (!found ? found.error() == ec::not_found : !found->bytes)
        found = ask_size(url, false);
      if (found || found.error() != ec::overloaded)
        return found;
      failure = std::move(found.error());
    }
    return failure;
  }

  caf::expected<download_result> fetch(const download_request& x) override {
    return fetching{x, guard_, options_, floor_}.run();
  }

private:
  caf::expected<remote_size> ask_size(const std::string& url, bool head) {
    web_request request;
    request.url = url;
    request.head = head;
    request.within = options_.measure_limit;
    if (!head)
      request.headers.push_back("Range: bytes=0-0");
    std::optional<web_answer> answer;
    request.begin = [&](const web_answer& x) -> caf::error {
      answer = x;
      // The bytes themselves are not wanted.
      return head ? caf::error{} : caf::make_error(ec::draining, "known");
    };
    const auto ending = perform(request, guard_, options_.limits);
    if (!answer)
      return ending.failure;
    // An empty file has no byte 0.
    if (answer->status == 416 && answer->range_total == 0)
      return remote_size{0};
    if (answer->status != 200 && answer->status != 206)
      return status_failure(answer->status, url);
    return remote_size{answer->status == 206 ? answer->range_total
                                             : answer->length};
  }

  const address_guard& guard_;
  const web_downloader_options options_;
  disk_floor floor_;
};

} // namespace

std::unique_ptr<downloader>
make_web_downloader(const address_guard& guard,
                    web_downloader_options options) {
  return std::make_unique<web_downloader>(guard, std::move(options));
}

} // namespace depositd
