#pragma once

// A private server for tests, made by scripts/services.

#include "tests/support/temporary_folder.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

namespace depositd {

/// In a folder of its own; stopped and gone with this.
class private_service {
public:
  /// Whether the machine has what it takes, or can fetch it.
  static bool installed(const std::string& kind) {
    const auto status = std::system(
      (std::string{DEPOSITD_SERVICES} + " installed " + kind).c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  explicit private_service(std::string kind) : kind_(std::move(kind)) {
    // A server with a user of its own must be able to enter.
    std::filesystem::permissions(folder_.path(),
                                 std::filesystem::perms{0755});
    start();
  }

  private_service(const private_service&) = delete;
  private_service& operator=(const private_service&) = delete;

  ~private_service() {
    stop();
  }

  /// As `scripts/services start` prints it; empty if it did not start.
  const std::string& where() const {
    return where_;
  }

  /// Starts a stopped one again, on the port that it had.
  void start() {
    const auto printed = services("start --port " + port() + " --until "
                                  + std::to_string(::getpid()));
    where_ = printed.substr(0, printed.find('\n'));
  }

  /// Lets it finish what it does.
  void stop() {
    services("stop");
  }

  /// Without mercy, as a crash would.
  void kill() {
    services("kill");
  }

private:
  /// 0, any, before the first start. Both HOST:PORT and URLs with a path.
  std::string port() const {
    if (where_.empty())
      return "0";
    const auto from = where_.rfind(':') + 1;
    return where_.substr(from, where_.find('/', from) - from);
  }

  std::string services(const std::string& what) {
    const auto command = std::string{DEPOSITD_SERVICES} + " " + what
                         + " --folder '" + folder_.path().string() + "' "
                         + kind_;
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
  std::string kind_;
  std::string where_;
};

} // namespace depositd
