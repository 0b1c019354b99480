#pragma once

// A server that answers with exactly the bytes that a test wants, one
// connection after the other, and closes. For what no real server does.

#include "tests/support/loopback_listener.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace depositd::testing {

class scripted_server {
public:
  /// From the request's head (and as much of its body as its length says) to
  /// the whole answer.
  using script = std::function<std::string(const std::string& request)>;

  explicit scripted_server(script answer)
    : answer_(std::move(answer)), stop_(::eventfd(0, 0)) {
    thread_ = std::thread{[this] { run(); }};
  }

  scripted_server(const scripted_server&) = delete;
  scripted_server& operator=(const scripted_server&) = delete;

  ~scripted_server() {
    const std::uint64_t one = 1;
    static_cast<void>(::write(stop_, &one, sizeof(one)));
    thread_.join();
    ::close(stop_);
  }

  std::uint16_t port() const {
    return listener_.port();
  }

  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port()) + path;
  }

  /// What was asked so far.
  std::vector<std::string> requests() const {
    const std::lock_guard guard{mutex_};
    return requests_;
  }

  static std::string response(const std::string& status,
                              const std::string& headers,
                              const std::string& body) {
    return "HTTP/1.1 " + status + "\r\nConnection: close\r\n" + headers + "\r\n"
           + body;
  }

  static std::string ok(const std::string& body,
                        const std::string& headers = "") {
    return response("200 OK",
                    "Content-Length: " + std::to_string(body.size()) + "\r\n"
                      + headers,
                    body);
  }

  /// The value of a header; empty if it is not there.
  static std::string header(const std::string& request,
                            const std::string& name) {
    const auto at = request.find("\r\n" + name + ": ");
    if (at == request.npos)
      return {};
    const auto from = at + name.size() + 4;
    return request.substr(from, request.find("\r\n", from) - from);
  }

private:
  void run() {
    for (;;) {
      std::array<pollfd, 2> wanted{
        {{listener_.socket(), POLLIN, 0}, {stop_, POLLIN, 0}}};
      if (::poll(wanted.data(), wanted.size(), -1) < 0)
        continue;
      if (wanted[1].revents != 0)
        return;
      const int peer = listener_.accept();
      if (peer < 0)
        continue;
      const timeval limit{20, 0};
      ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
      ::setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
      serve(peer);
      ::close(peer);
    }
  }

  void serve(int peer) {
    const auto request = receive(peer);
    if (request.empty())
      return;
    {
      const std::lock_guard guard{mutex_};
      requests_.push_back(request);
    }
    const auto out = answer_(request);
    for (std::size_t at = 0; at < out.size();) {
      const auto sent =
        ::send(peer, out.data() + at, out.size() - at, MSG_NOSIGNAL);
      if (sent <= 0)
        return;
      at += static_cast<std::size_t>(sent);
    }
    ::shutdown(peer, SHUT_WR);
    // Until the other side has read it all.
    std::array<char, 4096> rest;
    while (::recv(peer, rest.data(), rest.size(), 0) > 0)
      continue;
  }

  static std::string receive(int peer) {
    std::string out;
    std::array<char, 65536> piece;
    for (;;) {
      const auto end = out.find("\r\n\r\n");
      if (end != out.npos) {
        const auto length = header(out, "Content-Length");
        const auto body = length.empty() ? 0 : std::stoul(length);
        if (header(out, "Expect") == "100-continue" && out.size() == end + 4)
          ::send(peer, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL);
        if (out.size() >= end + 4 + body)
          return out;
      }
      const auto count = ::recv(peer, piece.data(), piece.size(), 0);
      if (count <= 0)
        return {};
      out.append(piece.data(), static_cast<std::size_t>(count));
    }
  }

  script answer_;
  loopback_listener listener_;
  int stop_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

} // namespace depositd::testing
