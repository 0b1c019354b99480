#pragma once

// Stands between a client and a server on loopback and cuts the line when it
// hurts most: after the server has acted, before the client has heard of it.

#include "tests/support/loopback_listener.hpp"

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace depositd {

class cutting_proxy {
public:
  explicit cutting_proxy(std::uint16_t server_port) : server_(server_port) {
    if (::pipe(wake_) != 0)
      throw std::runtime_error("no proxy");
    thread_ = std::thread{[this] { run(); }};
  }

  cutting_proxy(const cutting_proxy&) = delete;
  cutting_proxy& operator=(const cutting_proxy&) = delete;

  ~cutting_proxy() {
    ::close(wake_[1]);
    thread_.join();
    ::close(wake_[0]);
  }

  std::uint16_t port() const {
    return listener_.port();
  }

  /// Cuts the line over which the nth answer from now comes; 1: the next one.
  void cut_at_answer(int nth) {
    answers_left_ = nth;
  }

  /// The same, and refuses from then on.
  void end_at_answer(int nth) {
    then_refuse_ = true;
    answers_left_ = nth;
  }

  /// Refuses, or takes again, new lines.
  void refuse(bool yes) {
    refuse_ = yes;
  }

  int cuts() const {
    return cuts_;
  }

  /// Swallows what clients say, so that they wait for an answer; or no longer.
  void swallow(bool yes) {
    swallowed_ = false;
    swallow_ = yes;
  }

  /// Returns once a client waits so.
  void await_swallowed() const {
    swallowed_.wait(false);
  }

private:
  struct line {
    int client = -1;
    int server = -1;
  };

  void accept_one() {
    const auto client = listener_.accept();
    auto at = testing::loopback_at(server_);
    const auto server = ::socket(AF_INET, SOCK_STREAM, 0);
    if (refuse_
        || ::connect(server, reinterpret_cast<sockaddr*>(&at), sizeof at)
             != 0) {
      ::close(client);
      ::close(server);
      return;
    }
    lines_.push_back({client, server});
  }

  static bool write_all(int to, const char* bytes, ssize_t count) {
    while (count > 0) {
      const auto done
        = ::send(to, bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
      if (done <= 0)
        return false;
      bytes += done;
      count -= done;
    }
    return true;
  }

  /// False: the line is over.
  bool forward(int from, int to, bool is_answer) {
    char bytes[16384];
    const auto count = ::recv(from, bytes, sizeof bytes, 0);
    if (count <= 0)
      return false;
    if (!is_answer && swallow_) {
      swallowed_ = true;
      swallowed_.notify_all();
      return true;
    }
    if (is_answer && answers_left_ > 0 && --answers_left_ == 0) {
      ++cuts_;
      refuse_ = refuse_ || then_refuse_.exchange(false);
      return false;
    }
    return write_all(to, bytes, count);
  }

  void run() {
    for (;;) {
      std::vector<pollfd> wait{{wake_[0], POLLIN, 0},
                               {listener_.socket(), POLLIN, 0}};
      for (const auto& x : lines_) {
        wait.push_back({x.client, POLLIN, 0});
        wait.push_back({x.server, POLLIN, 0});
      }
      ::poll(wait.data(), wait.size(), -1);
      if (wait[0].revents != 0)
        break;
      std::vector<line> kept;
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        const auto x = lines_[i];
        auto alive = true;
        if (wait[2 + 2 * i].revents != 0)
          alive = forward(x.client, x.server, false);
        if (alive && wait[3 + 2 * i].revents != 0)
          alive = forward(x.server, x.client, true);
        if (alive)
          kept.push_back(x);
        else
          hang_up(x);
      }
      lines_ = std::move(kept);
      if (wait[1].revents != 0)
        accept_one();
    }
    for (const auto& x : lines_)
      hang_up(x);
  }

  static void hang_up(const line& x) {
    ::close(x.client);
    ::close(x.server);
  }

  std::uint16_t server_;
  testing::loopback_listener listener_;
  int wake_[2] = {-1, -1};
  std::atomic<int> answers_left_ = 0;
  std::atomic<int> cuts_ = 0;
  std::atomic<bool> refuse_ = false;
  std::atomic<bool> then_refuse_ = false;
  std::atomic<bool> swallow_ = false;
  std::atomic<bool> swallowed_ = false;
  std::vector<line> lines_;
  std::thread thread_;
};

} // namespace depositd
