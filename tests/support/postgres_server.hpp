#pragma once

// A private PostgreSQL for tests, made by scripts/services.

#include "tests/support/temporary_folder.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace depositd {

/// A cluster in a folder of its own; stopped and gone with this.
class postgres_server {
public:
  /// Whether the machine has what it takes.
  static bool installed() {
    const auto status
      = std::system((std::string{DEPOSITD_SERVICES} + " installed").c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  postgres_server() {
    // The server's own user must be able to enter.
    std::filesystem::permissions(folder_.path(),
                                 std::filesystem::perms{0755});
    start();
  }

  postgres_server(const postgres_server&) = delete;
  postgres_server& operator=(const postgres_server&) = delete;

  ~postgres_server() {
    services("stop");
  }

  /// Empty if it did not start.
  const std::string& url() const {
    return url_;
  }

  /// Starts a stopped one again, on the port that it had.
  void start() {
    const auto colon = url_.rfind(':');
    const auto slash = url_.rfind('/');
    const auto port
      = url_.empty() ? "0" : url_.substr(colon + 1, slash - colon - 1);
    const auto printed = services("start --port " + port + " --until "
                                  + std::to_string(::getpid()));
    url_ = printed.substr(0, printed.find('\n'));
  }

  /// Lets every session finish its statement.
  void stop() {
    services("stop");
  }

  /// Without mercy, as a crash would.
  void kill() {
    services("kill");
  }

private:
  std::string services(const std::string& what) {
    const auto command = std::string{DEPOSITD_SERVICES} + " " + what
                         + " --folder '" + folder_.path().string()
                         + "' postgres";
    std::string out;
    auto* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr)
      return out;
    std::array<char, 256> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr)
      out += part.data();
    ::pclose(pipe);
    return out;
  }

  temporary_folder folder_;
  std::string url_;
};

/// One for the whole program; started at first use.
inline postgres_server& shared_postgres() {
  static postgres_server server;
  return server;
}

/// False, and says so, if there is no PostgreSQL to test with.
inline bool postgres_installed() {
  static const auto yes = postgres_server::installed();
  if (!yes)
    std::cout << "POSTGRESQL IS NOT INSTALLED: ITS TESTS ARE SKIPPED\n";
  return yes;
}

} // namespace depositd
