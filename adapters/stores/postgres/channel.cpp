#include "adapters/stores/postgres/channel.hpp"

#include <chrono>
#include <thread>

namespace depositd::postgres {

namespace {

constexpr std::chrono::milliseconds pause{100};

} // namespace

caf::expected<std::unique_ptr<connection>>
open_patiently(const connection_options& options, std::uint32_t patience_ms) {
  using clock = std::chrono::steady_clock;
  const auto until = clock::now() + std::chrono::milliseconds{patience_ms};
  for (;;) {
    auto out = connection::open(options);
    if (out || clock::now() + pause > until)
      return out;
    std::this_thread::sleep_for(pause);
  }
}

channel::channel(connection_options options, std::uint32_t patience_ms)
  : options_(std::move(options)), patience_ms_(patience_ms) {
  // nop
}

caf::error channel::ensure_open() {
  if (open_ && !open_->lost())
    return {};
  open_.reset();
  auto opened = open_patiently(options_, patience_ms_);
  if (!opened)
    return std::move(opened.error());
  open_ = std::move(*opened);
  return {};
}

caf::error channel::repeat(const std::function<caf::error(connection&)>& body) {
  const std::lock_guard turn{mutex_};
  if (auto error = ensure_open())
    return error;
  auto failed = body(*open_);
  if (!failed || !open_->lost())
    return failed;
  if (auto error = ensure_open())
    return error;
  return body(*open_);
}

caf::error channel::run(const std::function<caf::error(connection&)>& body) {
  const std::lock_guard turn{mutex_};
  if (auto error = ensure_open())
    return error;
  return body(*open_);
}

} // namespace depositd::postgres
