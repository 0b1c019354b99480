#include "tests/simulation/jobs.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <span>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace depositd::simulation {

namespace {

void say_how_far(std::uint64_t of, std::span<const totals> all) {
  std::uint64_t lives = 0;
  std::uint64_t failed = 0;
  for (const auto& x : all) {
    lives += x.lives;
    failed += x.failed;
  }
  std::cerr << lives << " of " << of << " lives, " << failed << " failed\n";
}

/// True if each has come to its end. `ends` are blocked signals.
bool await(std::uint64_t lives, std::span<const totals> all,
           const ::sigset_t& ends) {
  constexpr ::timespec pause{30, 0};
  auto well = true;
  for (auto left = all.size(); left > 0;) {
    auto status = 0;
    if (::waitpid(-1, &status, WNOHANG) > 0) {
      --left;
      well = well && status == 0;
    } else if (::sigtimedwait(&ends, nullptr, &pause) < 0 && errno == EAGAIN) {
      say_how_far(lives, all);
    }
  }
  return well;
}

/// From now on this process ends with the one that made it.
void end_with(::pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    std::_Exit(1);
}

} // namespace

void share_out(std::uint64_t jobs, std::uint64_t lives,
               const std::function<void(std::uint64_t number, totals&)>& live,
               totals& out) {
  void* shared = ::mmap(nullptr, jobs * sizeof(totals), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    ++out.failed;
    return;
  }
  const std::span all{static_cast<totals*>(shared), jobs}; // all zero
  ::sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &ends, nullptr);
  const auto parent = ::getpid();
  for (std::uint64_t i = 0; i < jobs; ++i)
    if (::fork() == 0) {
      end_with(parent);
      live(i, all[i]);
      std::cout.flush();
      std::_Exit(0);
    }
  if (!await(lives, all, ends))
    ++out.failed;
  for (const auto& x : all)
    out.add(x);
}

} // namespace depositd::simulation
