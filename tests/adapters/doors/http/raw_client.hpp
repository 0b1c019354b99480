#pragma once

// A client that sends exactly the bytes it is told, for tests of what a decent
// HTTP library would never send.

#include "adapters/doors/http/text.hpp"
#include "messages/values/blanks.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace depositd::testing {

/// One answer as it came over the wire.
struct raw_answer {
  unsigned status = 0;
  http::parameters headers; ///< names as sent
  std::string body;

  std::string header(std::string_view name) const {
    for (const auto& [key, value] : headers)
      if (http::same_token(key, name))
        return value;
    return {};
  }
};

class raw_client {
public:
  explicit raw_client(std::uint16_t port, int wait_s = 20,
                      std::uint32_t from = INADDR_LOOPBACK)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval limit{wait_s, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(from);
    ::bind(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to);
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
      ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }

  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  ~raw_client() {
    ::close(socket_);
  }

  bool connected() const {
    return connected_;
  }

  /// False once the other side is gone.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0)
        return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  void end_sending() {
    ::shutdown(socket_, SHUT_WR);
  }

  /// The next answer; nothing if the connection ends or is silent before.
  /// Interim answers (1xx) are skipped.
  std::optional<raw_answer> receive() {
    for (;;) {
      auto out = receive_one();
      if (!out || out->status >= 200)
        return out;
    }
  }

  std::optional<raw_answer> exchange(std::string_view bytes) {
    send(bytes);
    return receive();
  }

  /// The next so many bytes; fewer if the connection ends or is silent before.
  std::string read(std::size_t count) {
    while (buffer_.size() < count)
      if (!fill())
        break;
    auto out = buffer_.substr(0, count);
    buffer_.erase(0, out.size());
    return out;
  }

  /// Whether the server closes, after whatever it still sends.
  bool closed() {
    char bytes[4096];
    for (;;) {
      const auto n = ::recv(socket_, bytes, sizeof bytes, 0);
      if (n == 0 || (n < 0 && errno == ECONNRESET))
        return true;
      if (n < 0)
        return false;
    }
  }

  /// Whether the server closes and has sent nothing more.
  bool at_end() {
    return buffer_.empty() && !fill() && buffer_.empty();
  }

  /// Whether an answer or the end of the connection comes within that time.
  bool readable_within(int wait_ms) {
    pollfd wait{socket_, POLLIN, 0};
    return !buffer_.empty() || ::poll(&wait, 1, wait_ms) > 0;
  }

  /// Whether the server closes within that time; what it sends is kept.
  bool closed_within(int wait_ms) {
    pollfd wait{socket_, POLLIN, 0};
    if (::poll(&wait, 1, wait_ms) <= 0)
      return false;
    return !fill();
  }

private:
  bool fill() {
    char bytes[16384];
    const auto n = ::recv(socket_, bytes, sizeof bytes, 0);
    if (n <= 0)
      return false;
    buffer_.append(bytes, static_cast<std::size_t>(n));
    return true;
  }

  std::optional<raw_answer> receive_one() {
    auto end = buffer_.find("\r\n\r\n");
    while (end == std::string::npos) {
      if (!fill())
        return std::nullopt;
      end = buffer_.find("\r\n\r\n");
    }
    raw_answer out;
    out.status = static_cast<unsigned>(std::stoul(buffer_.substr(9, 3)));
    std::string_view head{buffer_.data(), end};
    head.remove_prefix(std::min(head.find("\r\n"), head.size()));
    while (head.size() > 2) {
      head.remove_prefix(2);
      const auto line = head.substr(0, head.find("\r\n"));
      const auto colon = line.find(':');
      out.headers.emplace_back(line.substr(0, colon),
                               trimmed(line.substr(colon + 1)));
      head.remove_prefix(line.size());
    }
    buffer_.erase(0, end + 4);
    const auto length = out.header("content-length");
    const std::size_t size = length.empty() ? 0 : std::stoul(length);
    while (buffer_.size() < size)
      if (!fill())
        break;
    out.body = buffer_.substr(0, size);
    buffer_.erase(0, out.body.size());
    return out;
  }

  int socket_;
  bool connected_ = false;
  std::string buffer_;
};

} // namespace depositd::testing
