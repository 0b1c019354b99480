#include "adapters/shell/terminal.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <thread>
#include <unistd.h>

namespace depositd::shell {

namespace {

// A signal handler reaches nothing else.
volatile std::sig_atomic_t stop_flag = 0;

void wait_seconds(unsigned seconds) {
  using namespace std::chrono;
  const auto until = steady_clock::now() + std::chrono::seconds{seconds};
  while (!stop_wanted() && steady_clock::now() < until)
    std::this_thread::sleep_for(20ms);
}

} // namespace

void catch_stop() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stop_flag = 1; };
  // Not restarted: a read at the prompt must return.
  sigaction(SIGINT, &action, nullptr);
}

bool stop_wanted() {
  return stop_flag != 0;
}

void forget_stop() {
  stop_flag = 0;
}

terminal standard_terminal() {
  terminal out{std::cin, std::cout, std::cerr};
  out.reads_from_person = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
  out.draws = isatty(STDERR_FILENO);
  out.stopped = stop_wanted;
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
