#pragma once

// The real program in a process of its own, with keys made by the real shell:
// what the acceptance tests talk to.

#include "tests/support/temporary_folder.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace depositd::testing {

/// Every right on every queue, those beginning with two underscores too.
const std::vector<std::string> all_rights{"queue|*|*", "queue|*|__*",
                                          "queue|*|metadata"};

/// A depositd on free ports of the loopback. Not started by the constructor;
/// the same folder is used at every start. Failures throw
/// `std::runtime_error` with what the program said.
class engine_process {
public:
  /// `ram_disk`: files that survive a kill but wait for no disk.
  enum class store { memory, disk, ram_disk };

  /// `settings`: "key=value", as after `--set`.
  explicit engine_process(store where, std::vector<std::string> settings = {});

  engine_process(const engine_process&) = delete;
  engine_process& operator=(const engine_process&) = delete;

  /// Kills.
  ~engine_process();

  /// Returns when the ready line has come.
  void start();

  /// kill -9; returns when the process is gone.
  void kill();

  /// SIGTERM; returns the exit status.
  int stop();

  /// Gives or takes back the right to write files, as a full disk would.
  void allow_writes(bool allowed);

  /// Runs depositctl and returns what it printed.
  std::string ctl(std::vector<std::string> arguments,
                  const std::string& input = {});

  /// Adds a key with the given text.
  void add_key(const std::string& name, const std::string& key,
               const std::vector<std::string>& permits);

  /// What the program has logged, its end only.
  std::string log() const;

  std::uint16_t http_port() const {
    return http_port_;
  }

  std::uint16_t admin_port() const {
    return admin_port_;
  }

  pid_t pid() const {
    return pid_;
  }

private:
  int await_end();

  temporary_folder folder_;
  std::vector<std::string> settings_;
  std::uint16_t http_port_ = 0;
  std::uint16_t admin_port_ = 0;
  std::string node_;
  pid_t pid_ = -1;
  int output_ = -1;
};

} // namespace depositd::testing
