#include "config/stop_watch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <unistd.h>

namespace depositd {
namespace {

using namespace std::chrono_literals;

constexpr int cut = 3;

/// What a program that was told to end does next, in a process of its own.
void ending(std::chrono::milliseconds most, void (*then)()) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  {
    stop_watch watch{[](const std::string&) { _exit(cut); }};
    watch.begin(most);
    then();
  }
  _exit(0);
}

void hang() {
  for (;;)
    pause();
}

void hang_and_be_told_again() {
  kill(getpid(), SIGINT);
  hang();
}

void do_nothing() {
  // nop
}

TEST(stop_watch, ends_what_does_not_end) {
  EXPECT_EXIT(ending(50ms, hang), ::testing::ExitedWithCode(cut), "");
}

TEST(stop_watch, ends_at_once_what_is_told_again) {
  EXPECT_EXIT(ending(1h, hang_and_be_told_again),
              ::testing::ExitedWithCode(cut), "");
}

TEST(stop_watch, leaves_alone_what_ends) {
  EXPECT_EXIT(ending(1h, do_nothing), ::testing::ExitedWithCode(0), "");
}

TEST(stop_watch, may_never_begin) {
  stop_watch watch{[](const std::string&) { _exit(cut); }};
}

} // namespace
} // namespace depositd
