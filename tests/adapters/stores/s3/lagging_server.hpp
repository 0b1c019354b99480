#pragma once

// Stands before a server of S3, and answers some reads with what was true
// before: servers of many machines do, for a while.

#include "tests/support/loopback_listener.hpp"
#include "tests/support/scripted_server.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace depositd::s3 {

class lagging_server {
public:
  /// By the end of a path, without its query: the answer to who reads it.
  using answers = std::map<std::string, std::string>;

  lagging_server(std::uint16_t before, answers late)
    : before_(before), late_(std::move(late)),
      server_([this](const std::string& request) { return answer(request); }) {
    // nop
  }

  std::string url() const {
    return server_.url("");
  }

private:
  std::string answer(const std::string& request) const {
    const auto path = request.substr(0, request.find_first_of("? ", 4));
    if (path.starts_with("GET "))
      for (const auto& [end, said] : late_)
        if (path.ends_with(end))
          return said;
    return handed_on(request);
  }

  std::string handed_on(std::string request) const {
    request.insert(request.find("\r\n") + 2, "Connection: close\r\n");
    auto at = testing::loopback_at(before_);
    const int line = ::socket(AF_INET, SOCK_STREAM, 0);
    std::string out;
    if (::connect(line, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0
        && ::send(line, request.data(), request.size(), MSG_NOSIGNAL)
             == static_cast<ssize_t>(request.size())) {
      char bytes[16'384];
      for (ssize_t count = 0;
           (count = ::recv(line, bytes, sizeof bytes, 0)) > 0;)
        out.append(bytes, static_cast<std::size_t>(count));
    }
    ::close(line);
    return out;
  }

  std::uint16_t before_;
  answers late_;
  testing::scripted_server server_;
};

} // namespace depositd::s3
