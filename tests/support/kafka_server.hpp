#pragma once

// A private Kafka for tests, made by scripts/services.

#include "tests/support/temporary_folder.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace depositd {

/// One node in a folder of its own; stopped and gone with this.
class kafka_server {
public:
  /// Whether the machine has what it takes, or can fetch it.
  static bool installed() {
    const auto status = std::system(
      (std::string{DEPOSITD_SERVICES} + " installed kafka").c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  kafka_server() {
    start();
  }

  kafka_server(const kafka_server&) = delete;
  kafka_server& operator=(const kafka_server&) = delete;

  ~kafka_server() {
    services("stop");
  }

  /// "HOST:PORT"; empty if it did not start.
  const std::string& address() const {
    return address_;
  }

  /// Starts a stopped one again, on the port that it had.
  void start() {
    const auto port = address_.empty()
                        ? std::string{"0"}
                        : address_.substr(address_.rfind(':') + 1);
    const auto printed = services("start --port " + port + " --until "
                                  + std::to_string(::getpid()));
    address_ = printed.substr(0, printed.find('\n'));
  }

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
                         + "' kafka";
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
  std::string address_;
};

/// One for the whole program; started at first use.
inline kafka_server& shared_kafka() {
  static kafka_server server;
  return server;
}

/// False, and says so, if there is no Kafka to test with.
inline bool kafka_installed() {
  static const auto yes = kafka_server::installed();
  if (!yes)
    std::cout << "KAFKA CANNOT RUN HERE: ITS TESTS ARE SKIPPED\n";
  return yes;
}

} // namespace depositd
