#include "adapters/shell/terminal.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace depositd::shell {

namespace {

// A signal handler reaches nothing else.
std::atomic<bool> stop_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void wait_seconds(unsigned seconds) {
  using namespace std::chrono;
  const auto until = steady_clock::now() + std::chrono::seconds{seconds};
  while (!stop_wanted() && steady_clock::now() < until)
    std::this_thread::sleep_for(20ms);
}

} // namespace

void catch_stop() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stop_flag = true; };
  // Not restarted: a read at the prompt must return.
  sigaction(SIGINT, &action, nullptr);
  // A TLS peer that went away must be an error, not the end.
  std::signal(SIGPIPE, SIG_IGN);
}

bool stop_wanted() {
  return stop_flag;
}

void forget_stop() {
  stop_flag = false;
}

terminal standard_terminal() {
  terminal out{std::cin, std::cout, std::cerr};
  out.reads_from_person = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
  out.draws = isatty(STDERR_FILENO);
  out.shows = isatty(STDOUT_FILENO);
  out.stopped = stop_wanted;
  out.unread = [] {
    pollfd reader{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0;
  };
  out.pause = wait_seconds;
  return out;
}

bool confirmed(terminal& where, const std::string& question) {
  where.err << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(where.in, answer);
  return answer == "y" || answer == "yes" || answer == "Y";
}

} // namespace depositd::shell
