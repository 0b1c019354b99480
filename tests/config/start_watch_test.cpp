#include "config/start_watch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <unistd.h>

namespace depositd {
namespace {

constexpr int started = 7;

sigset_t blocked() {
  sigset_t out;
  sigemptyset(&out);
  sigaddset(&out, SIGTERM);
  sigaddset(&out, SIGINT);
  pthread_sigmask(SIG_BLOCK, &out, nullptr);
  return out;
}

/// A program that never has started, in a process of its own.
void told_to_end(int signal) {
  blocked();
  start_watch watch{[](int x) { _exit(x); }};
  kill(getpid(), signal);
  for (;;)
    pause();
}

/// What comes once a program has started is there for it to take.
void told_then() {
  const auto signals = blocked();
  {
    start_watch watch{[](int x) { _exit(x); }};
  }
  kill(getpid(), SIGTERM);
  int taken = 0;
  sigwait(&signals, &taken);
  _exit(taken == SIGTERM ? started : 1);
}

TEST(start_watch, ends_what_still_starts) {
  EXPECT_EXIT(told_to_end(SIGTERM), ::testing::ExitedWithCode(SIGTERM), "");
  EXPECT_EXIT(told_to_end(SIGINT), ::testing::ExitedWithCode(SIGINT), "");
}

TEST(start_watch, leaves_alone_what_has_started) {
  EXPECT_EXIT(told_then(), ::testing::ExitedWithCode(started), "");
}

} // namespace
} // namespace depositd
