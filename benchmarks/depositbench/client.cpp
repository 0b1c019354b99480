#include "benchmarks/depositbench/client.hpp"

#include <stdexcept>
#include <thread>

namespace depositd::bench {

using namespace std::chrono_literals;

void progress::add_latencies(std::vector<std::uint32_t>& to,
                             const std::vector<std::uint32_t>& from) {
  std::lock_guard guard{mutex};
  to.insert(to.end(), from.begin(), from.end());
}

void progress::fail(const std::string& text) {
  std::lock_guard guard{mutex};
  if (failure.empty())
    failure = text;
  failed = true;
}

void await(progress& from, const std::atomic<std::uint64_t>& counter,
           std::uint64_t goal) {
  auto last = counter.load();
  auto moved = clock::now();
  while (counter < goal) {
    std::this_thread::sleep_for(500us);
    if (from.failed) {
      std::lock_guard guard{from.mutex};
      throw std::runtime_error(from.failure);
    }
    if (const auto now = counter.load(); now != last) {
      last = now;
      moved = clock::now();
    } else if (clock::now() - moved > 60s) {
      throw std::runtime_error("no progress: " + std::to_string(last) + " of "
                               + std::to_string(goal));
    }
  }
}

void await_end(progress& from) {
  from.stop = true;
  // A request may have been under way when they were told to stop.
  std::uint64_t goal = 0;
  do {
    goal = from.sent;
    await(from, from.settled, goal);
    std::this_thread::sleep_for(5ms);
  } while (goal != from.sent);
}

open_loop::open_loop(double rate) : rate_(rate) {
  // nop
}

std::uint64_t open_loop::due(std::uint64_t sent) {
  const auto now = steady_us();
  if (started_us_ == 0)
    started_us_ = now;
  const auto all = static_cast<std::uint64_t>(
    static_cast<double>(now - started_us_) * rate_ / 1e6);
  return all > sent ? all - sent : 0;
}

std::uint64_t open_loop::intended_us(std::uint64_t number) const {
  return started_us_
         + static_cast<std::uint64_t>(static_cast<double>(number) * 1e6
                                      / rate_);
}

std::uint64_t steady_us() {
  return static_cast<std::uint64_t>(
    std::chrono::duration_cast<std::chrono::microseconds>(
      clock::now().time_since_epoch())
      .count());
}

} // namespace depositd::bench
