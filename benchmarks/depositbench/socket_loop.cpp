#include "benchmarks/depositbench/socket_loop.hpp"

#include "messages/values/endpoint.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace depositd::bench {

namespace {

using clock = std::chrono::steady_clock;

constexpr const char* closed = "the engine closed the connection";

constexpr auto goodbye_max = std::chrono::seconds{5};

std::runtime_error failure(const std::string& what) {
  return std::runtime_error(what + ": " + std::strerror(errno));
}

/// A connected socket that does not block.
int open_socket(const std::string& host, std::uint16_t port) {
  const auto service = std::to_string(port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const auto code =
        getaddrinfo(host.c_str(), service.c_str(), &hints, &found))
    throw std::runtime_error(host + ": " + gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> keep{found,
                                                                freeaddrinfo};
  for (const auto* at = found; at != nullptr; at = at->ai_next) {
    const auto fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
      continue;
    if (connect(fd, at->ai_addr, at->ai_addrlen) == 0) {
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      fcntl(fd, F_SETFL, O_NONBLOCK);
      return fd;
    }
    const auto problem = errno;
    close(fd);
    errno = problem;
  }
  throw failure("no engine at " + host + ":" + service);
}

void register_with(int epoll, int fd, void* what) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = what;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

} // namespace

struct socket_loop::connection {
  int fd = -1;
  std::unique_ptr<conversation> talk;
  std::string request;
  std::size_t written = 0;
  std::string received;
  bool open = false;   ///< a question waits for its answer
  bool writes = false; ///< the socket was full
  bool broken = false; ///< nothing more is asked

  ~connection() {
    if (fd >= 0)
      close(fd);
  }
};

socket_loop::socket_loop(const std::string& address) : buffer_(256 * 1024) {
  const auto where = parse_endpoint(address);
  if (!where)
    throw std::runtime_error("--connect: " + render(where.error()));
  host_ = where->host;
  port_ = where->port;
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  waker_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;
  if (epoll_ < 0 || waker_ < 0
      || epoll_ctl(epoll_, EPOLL_CTL_ADD, waker_, &event) != 0)
    throw failure("epoll");
}

socket_loop::~socket_loop() {
  finish();
  close(waker_);
  close(epoll_);
}

void socket_loop::add(std::unique_ptr<conversation> x) {
  auto fresh = std::make_unique<connection>();
  fresh->fd = open_socket(host_, port_);
  fresh->talk = std::move(x);
  {
    std::lock_guard guard{mutex_};
    new_.push_back(std::move(fresh));
  }
  if (!thread_.joinable())
    thread_ = std::thread{[this] { run(); }};
  wake();
}

void socket_loop::finish() {
  if (!thread_.joinable())
    return;
  {
    std::lock_guard guard{mutex_};
    finishing_ = true;
  }
  wake();
  thread_.join();
  thread_ = {};
  connections_.clear();
  finishing_ = false;
  asking_ = true;
  open_ = 0;
}

void socket_loop::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(waker_, &one, sizeof(one));
}

void socket_loop::take_new() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(waker_, &count, sizeof(count));
  std::vector<std::unique_ptr<connection>> fresh;
  {
    std::lock_guard guard{mutex_};
    fresh.swap(new_);
    asking_ = asking_ && !finishing_;
  }
  for (auto& x : fresh) {
    register_with(epoll_, x->fd, x.get());
    connections_.push_back(std::move(x));
    ask_next(*connections_.back());
  }
}

void socket_loop::run() {
  std::array<epoll_event, 256> events;
  auto next_tick = clock::now();
  auto deadline = clock::time_point::max();
  while (asking_ || (open_ > 0 && clock::now() < deadline)) {
    const auto count =
      epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 1);
    for (int i = 0; i < count; ++i) {
      auto* x = static_cast<connection*>(events[i].data.ptr);
      if (x == nullptr) {
        take_new();
        if (!asking_)
          deadline = clock::now() + goodbye_max;
        continue;
      }
      if ((events[i].events & EPOLLOUT) != 0)
        write_more(*x);
      if ((events[i].events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0)
        read_more(*x);
    }
    if (const auto now = clock::now(); asking_ && now >= next_tick) {
      ask_idle();
      next_tick = now + loop_tick;
    }
  }
}

void socket_loop::ask_idle() {
  for (auto& x : connections_)
    if (!x->open && !x->broken)
      ask_next(*x);
}

void socket_loop::ask_next(connection& x) {
  if (!asking_ || x.written < x.request.size())
    return;
  x.request.clear();
  x.written = 0;
  const auto what = x.talk->next(x.request);
  if (what == asked::nothing)
    return;
  if (x.fd < 0)
    reconnect(x);
  if (x.broken)
    return;
  if (what == asked::question) {
    x.open = true;
    ++open_;
  }
  write_more(x);
}

void socket_loop::watch(connection& x, bool writes) {
  if (x.writes == writes)
    return;
  x.writes = writes;
  epoll_event event{};
  event.events = EPOLLIN | (writes ? static_cast<std::uint32_t>(EPOLLOUT) : 0);
  event.data.ptr = &x;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, x.fd, &event);
}

void socket_loop::write_more(connection& x) {
  while (x.fd >= 0 && x.written < x.request.size()) {
    const auto sent = ::send(x.fd, x.request.data() + x.written,
                             x.request.size() - x.written, MSG_NOSIGNAL);
    if (sent >= 0) {
      x.written += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      watch(x, true);
      return;
    } else if (errno != EINTR) {
      // Maybe it has said why before it closed: the reader finds out.
      x.written = x.request.size();
    }
  }
  if (x.fd >= 0)
    watch(x, false);
}

void socket_loop::reconnect(connection& x) {
  try {
    x.fd = open_socket(host_, port_);
    x.writes = false;
    register_with(epoll_, x.fd, &x);
  } catch (const std::exception& wrong) {
    x.broken = true;
    x.talk->broke(wrong.what());
  }
}

void socket_loop::drop(connection& x, const std::string& why) {
  close(x.fd);
  x.fd = -1;
  x.received.clear();
  x.request.clear();
  x.written = 0;
  if (!x.open && why == closed && x.talk->may_close())
    return;
  open_ -= x.open;
  x.open = false;
  x.broken = true;
  x.talk->broke(why);
}

void socket_loop::read_more(connection& x) {
  while (x.fd >= 0) {
    const auto got = ::recv(x.fd, buffer_.data(), buffer_.size(), 0);
    if (got > 0) {
      x.received.append(buffer_.data(), static_cast<std::size_t>(got));
      take_received(x);
      // A short read has emptied the socket.
      if (static_cast<std::size_t>(got) < buffer_.size())
        return;
    } else if (got == 0) {
      drop(x, closed);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      drop(x, std::strerror(errno));
    }
  }
}

void socket_loop::take_received(connection& x) {
  const auto what = x.talk->take(x.received);
  if (!what.wrong.empty()) {
    drop(x, what.wrong);
    return;
  }
  x.received.erase(0, what.bytes);
  if (what.answered) {
    x.open = false;
    --open_;
  }
  if (!x.open)
    ask_next(x);
}

} // namespace depositd::bench
