#include "adapters/processing/exec/program_groups.hpp"

#include <csignal>

namespace depositd::exec {

void program_groups::enter(pid_t group) {
  const std::lock_guard guard{mutex_};
  running_.insert(group);
  if (over_)
    ::kill(-group, SIGKILL);
}

void program_groups::leave(pid_t group) {
  const std::lock_guard guard{mutex_};
  running_.erase(group);
}

void program_groups::end_all() {
  const std::lock_guard guard{mutex_};
  over_ = true;
  for (const auto group : running_)
    ::kill(-group, SIGKILL);
}

} // namespace depositd::exec
