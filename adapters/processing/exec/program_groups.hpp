#pragma once

// Programs that run now, with all that they have started.

#include <mutex>
#include <set>
#include <sys/types.h>

namespace depositd::exec {

/// May be used from any thread at once.
class program_groups {
public:
  /// A program that was just started. Whoever waits for it takes it out before
  /// its number can be another's.
  void enter(pid_t group);
  void leave(pid_t group);

  /// Kills all of them, and from now on whatever enters.
  void end_all();

private:
  std::mutex mutex_;
  std::set<pid_t> running_;
  bool over_ = false;
};

} // namespace depositd::exec
