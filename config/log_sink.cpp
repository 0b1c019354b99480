#include "config/log_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <string>

#include <poll.h>
#include <unistd.h>

namespace depositd {

namespace {

/// A reader that is only busy gets so long; none once lines are lost.
constexpr int patience_ms = 100;

} // namespace

void log_sink::sink_it_(const spdlog::details::log_msg& line) {
  if (lost_ > 0) {
    const auto text = "log_lines_lost count=" + std::to_string(lost_);
    spdlog::details::log_msg note{line.logger_name, spdlog::level::warn, text};
    if (write(note))
      lost_ = 0;
  }
  if (lost_ > 0 || !write(line))
    ++lost_;
}

bool log_sink::write(const spdlog::details::log_msg& line) {
  if (torn_ && !write_text("\n"))
    return false;
  torn_ = false;
  spdlog::memory_buf_t text;
  formatter_->format(line, text);
  return write_text({text.data(), text.size()});
}

bool log_sink::write_text(std::string_view text) {
  while (!text.empty()) {
    pollfd place{fd_, POLLOUT, 0};
    if (::poll(&place, 1, lost_ > 0 ? 0 : patience_ms) != 1
        || (place.revents & POLLOUT) == 0)
      return false;
    // More might have to wait, though there is a place.
    const auto size = std::min<std::size_t>(text.size(), PIPE_BUF);
    const auto written = ::write(fd_, text.data(), size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(written));
    torn_ = !text.empty();
  }
  return true;
}

} // namespace depositd
