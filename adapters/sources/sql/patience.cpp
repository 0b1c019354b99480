#include "adapters/sources/sql/patience.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include <poll.h>

namespace depositd::sources::sql {

namespace {

/// Where the system has no descriptor left a cancellation is noticed by then.
constexpr std::int64_t look_ms = 1'000;

} // namespace

patience::patience(interruption& by, std::chrono::milliseconds timeout)
  : by_(by), call_(by), timeout_(timeout), until_(clock::now() + timeout) {
  // nop
}

bool patience::ended() const noexcept {
  return by_.cancelled() || clock::now() >= until_;
}

caf::error patience::check() const {
  if (by_.cancelled())
    return was_cancelled();
  return clock::now() >= until_ ? took_too_long(timeout_) : caf::error{};
}

std::chrono::milliseconds patience::left() const noexcept {
  const auto out =
    std::chrono::ceil<std::chrono::milliseconds>(until_ - clock::now());
  return std::max(out, std::chrono::milliseconds{0});
}

caf::error patience::await(int socket, short events) const {
  for (;;) {
    if (auto over = check())
      return over;
    std::array<pollfd, 2> wanted{
      {{socket, events, 0}, {by_.descriptor(), POLLIN, 0}}};
    const auto wait_ms = std::min<std::int64_t>(left().count(), look_ms);
    const auto ready =
      ::poll(wanted.data(), wanted.size(), static_cast<int>(wait_ms));
    if (ready < 0 && errno != EINTR)
      return caf::make_error(ec::store_failed, "cannot wait for the server");
    if (ready > 0 && wanted[1].revents == 0)
      return {};
  }
}

void patience::pause(std::chrono::milliseconds time) const noexcept {
  pollfd wanted{by_.descriptor(), POLLIN, 0};
  static_cast<void>(
    ::poll(&wanted, 1, static_cast<int>(std::min(time, left()).count())));
}

} // namespace depositd::sources::sql
