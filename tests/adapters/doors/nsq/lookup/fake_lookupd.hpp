#pragma once

// An nsqlookupd that says OK to everything and remembers what it was told, one
// list for each connection. It can fall silent, and it can hang up.

#include "tests/support/loopback_listener.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
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

class fake_lookupd {
public:
  fake_lookupd() : wake_(::eventfd(0, 0)) {
    thread_ = std::thread{[this] { run(); }};
  }

  fake_lookupd(const fake_lookupd&) = delete;
  fake_lookupd& operator=(const fake_lookupd&) = delete;

  ~fake_lookupd() {
    {
      const std::lock_guard lock{guard_};
      stopping_ = true;
    }
    wake();
    thread_.join();
    for (const auto& [socket, x] : open_)
      ::close(socket);
    ::close(wake_);
  }

  std::uint16_t port() const {
    return listener_.port();
  }

  /// Answers nothing from now on, or goes on with new commands.
  void fall_silent(bool silent) {
    const std::lock_guard lock{guard_};
    silent_ = silent;
  }

  /// What commands are answered from now on.
  void answer(std::string text) {
    const std::lock_guard lock{guard_};
    answer_ = std::move(text);
  }

  /// Ends all connections.
  void hang_up() {
    {
      const std::lock_guard lock{guard_};
      hang_up_ = true;
    }
    wake();
  }

  /// Waits until what was told (connection by connection, in order) is as it
  /// should be; whether it became so.
  template <class F>
  bool await(F is_so) {
    std::unique_lock lock{guard_};
    return changed_.wait_for(lock, std::chrono::seconds{20},
                             [&] { return is_so(told_); });
  }

  /// The newest connection, without pings.
  std::vector<std::string> told() {
    const std::lock_guard lock{guard_};
    std::vector<std::string> out;
    if (!told_.empty())
      for (const auto& x : told_.back())
        if (x != "PING")
          out.push_back(x);
    return out;
  }

private:
  struct connection {
    std::size_t number = 0;
    std::string bytes;
    bool greeted = false;
  };

  void wake() {
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_, &one, sizeof one));
  }

  void run() {
    for (;;) {
      std::vector<pollfd> wanted{{listener_.socket(), POLLIN, 0},
                                 {wake_, POLLIN, 0}};
      for (const auto& [socket, x] : open_)
        wanted.push_back({socket, POLLIN, 0});
      if (::poll(wanted.data(), wanted.size(), -1) < 0)
        continue;
      if (wanted[1].revents != 0 && !obey())
        return;
      if (wanted[0].revents != 0)
        enter(listener_.accept());
      for (std::size_t i = 2; i < wanted.size(); ++i)
        if (wanted[i].revents != 0 && open_.count(wanted[i].fd) != 0)
          receive(wanted[i].fd);
    }
  }

  bool obey() {
    std::uint64_t count = 0;
    static_cast<void>(::read(wake_, &count, sizeof count));
    const std::lock_guard lock{guard_};
    if (std::exchange(hang_up_, false)) {
      for (const auto& [socket, x] : open_)
        ::close(socket);
      open_.clear();
    }
    return !stopping_;
  }

  void enter(int socket) {
    const std::lock_guard lock{guard_};
    open_[socket].number = told_.size();
    told_.emplace_back();
    changed_.notify_all();
  }

  void receive(int socket) {
    std::array<char, 4096> piece;
    const auto count = ::recv(socket, piece.data(), piece.size(), 0);
    const std::lock_guard lock{guard_};
    auto& x = open_[socket];
    if (count <= 0) {
      ::close(socket);
      open_.erase(socket);
      return;
    }
    x.bytes.append(piece.data(), static_cast<std::size_t>(count));
    while (take_command(x))
      if (!silent_)
        say(socket);
    changed_.notify_all();
  }

  /// A line, and the body that follows IDENTIFY.
  bool take_command(connection& x) {
    if (!x.greeted && x.bytes.size() >= 4) {
      told_[x.number].push_back(x.bytes.substr(0, 4));
      x.bytes.erase(0, 4);
      x.greeted = true;
    }
    const auto end = x.bytes.find('\n');
    if (!x.greeted || end == std::string::npos)
      return false;
    auto line = x.bytes.substr(0, end);
    std::size_t size = end + 1;
    if (line == "IDENTIFY") {
      if (x.bytes.size() < size + 4)
        return false;
      std::size_t length = 0;
      for (std::size_t i = 0; i < 4; ++i)
        length = length << 8 | static_cast<unsigned char>(x.bytes[size + i]);
      if (x.bytes.size() < size + 4 + length)
        return false;
      line += ' ' + x.bytes.substr(size + 4, length);
      size += 4 + length;
    }
    x.bytes.erase(0, size);
    told_[x.number].push_back(line);
    return true;
  }

  void say(int socket) {
    const auto size = static_cast<char>(answer_.size());
    const auto out = std::string{"\0\0\0", 3} + size + answer_;
    static_cast<void>(::send(socket, out.data(), out.size(), MSG_NOSIGNAL));
  }

  const loopback_listener listener_;
  const int wake_;
  std::map<int, connection> open_; ///< by socket; in the thread

  std::mutex guard_; ///< of what follows
  std::condition_variable changed_;
  std::vector<std::vector<std::string>> told_;
  std::string answer_ = "OK"; ///< 127 bytes at most
  bool silent_ = false;
  bool hang_up_ = false;
  bool stopping_ = false;

  std::thread thread_;
};

} // namespace depositd::testing
