#pragma once

// tests/adapters/notifying/smtp_server.py in a process of its own.

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace depositd::testing {

class smtp_server {
public:
  /// Whether the machine has aiosmtpd.
  static bool installed() {
    return std::system("/usr/bin/python3 -c 'import aiosmtpd' 2>/dev/null")
           == 0;
  }

  smtp_server() : smtp_server(std::vector<std::string>{}) {
    // nop
  }

  /// With the script's arguments.
  explicit smtp_server(const std::vector<std::string>& arguments) {
    std::vector<char*> words;
    for (const auto* word : {"/usr/bin/python3", DEPOSITD_SMTP_SERVER})
      words.push_back(const_cast<char*>(word));
    for (const auto& word : arguments)
      words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    int to[2];
    int from[2];
    if (::pipe(to) != 0 || ::pipe(from) != 0)
      throw std::runtime_error("no pipe");
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      for (const int x : {to[0], to[1], from[0], from[1]})
        ::close(x);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    in_ = to[1];
    out_ = ::fdopen(from[0], "r");
    port_ = static_cast<std::uint16_t>(std::stoul(line()));
  }

  smtp_server(const smtp_server&) = delete;
  smtp_server& operator=(const smtp_server&) = delete;

  ~smtp_server() {
    ::kill(child_, SIGKILL);
    ::close(in_);
    std::fclose(out_);
    ::waitpid(child_, nullptr, 0);
  }

  std::uint16_t port() const {
    return port_;
  }

  /// The mail that was taken next: `from`, `to`, `content`.
  nlohmann::json next() {
    return nlohmann::json::parse(line());
  }

private:
  std::string line() {
    std::string out;
    int c = 0;
    while ((c = std::fgetc(out_)) != EOF && c != '\n')
      out += static_cast<char>(c);
    if (out.empty())
      throw std::runtime_error("the server is gone");
    return out;
  }

  pid_t child_ = -1;
  int in_ = -1;
  std::FILE* out_ = nullptr;
  std::uint16_t port_ = 0;
};

} // namespace depositd::testing
