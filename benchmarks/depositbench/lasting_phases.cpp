#include "benchmarks/depositbench/phase_parts.hpp"

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace depositd::bench {

using namespace std::chrono_literals;

namespace {

double bytes_per_item(std::uint64_t after, std::uint64_t before,
                      std::uint64_t items) {
  return (static_cast<double>(after) - static_cast<double>(before))
         / static_cast<double>(items);
}

/// Runs the command, waits for its ready line and returns its process id. It
/// lives on when this program has ended.
std::uint32_t start_again(const std::string& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error("cannot make a pipe");
  const auto line_of = "exec " + command;
  const auto pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", line_of.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  if (pid < 0)
    throw std::runtime_error("cannot run the restart command");
  std::string said;
  char c = 0;
  // Byte by byte: nothing after the line is ours to take.
  while (read(ends[0], &c, 1) == 1 && c != '\n')
    said += c;
  if (said.rfind("ready ", 0) != 0)
    throw std::runtime_error("the server did not come back: " + said);
  return static_cast<std::uint32_t>(pid);
}

/// Looks at a folder several times a second while it lives.
class largest_size {
public:
  explicit largest_size(const std::string& folder)
    : thread_{[this, folder](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          bytes_ = std::max(bytes_, folder_bytes(folder));
          std::this_thread::sleep_for(200ms);
        }
      }} {
    // nop
  }

  /// The largest size that was seen, bytes.
  std::uint64_t end() {
    thread_ = std::jthread{};
    return bytes_;
  }

private:
  std::uint64_t bytes_ = 0;
  std::jthread thread_;
};

} // namespace

void restart(phase_context& x) {
  if (x.settings.server_pid == 0 || x.settings.restart_command.empty())
    throw std::runtime_error(
      "restart needs --server-pid and --restart-command");
  figures out{.phase = "restart", .items = x.items_or(1'000'000)};
  const auto before = resident_bytes(x.settings.server_pid);
  load(x, "restart", out.items);
  const auto after = resident_bytes(x.settings.server_pid);
  out.more.emplace_back("bytes_per_item",
                        bytes_per_item(after, before, out.items));
  ::kill(static_cast<pid_t>(x.settings.server_pid), SIGKILL);
  while (!has_ended(x.settings.server_pid))
    std::this_thread::sleep_for(1ms);
  const auto began = clock::now();
  const auto pid = start_again(x.settings.restart_command);
  out.seconds = std::chrono::duration<double>(clock::now() - began).count();
  out.more.emplace_back("bytes_per_item_after",
                        bytes_per_item(resident_bytes(pid), 0, out.items));
  out.more.emplace_back("server_pid", pid);
  x.report(out);
}

void disk(phase_context& x) {
  if (x.settings.data.empty())
    throw std::runtime_error("disk needs --data");
  const auto items = x.items_or(10'000'000);
  const auto peak = p3_peak(x, 200'000);
  const auto rate = x.settings.rate > 0 ? x.settings.rate
                                        : peak.items_per_second() / 2;
  const auto quiet = p3_open(x, rate, 10s);
  figures out{.phase = "disk"};
  largest_size size{x.settings.data};
  stopwatch watch{x.settings.server_pid};
  while (out.items < items)
    out.items +=
      p3_peak(x, std::min<std::uint64_t>(500'000, items - out.items)).items;
  watch.finish(out);
  const auto after = p3_open(x, rate, 10s);
  out.p50_ms = after.p50_ms;
  out.p99_ms = after.p99_ms;
  out.more.emplace_back("disk_bytes_max", static_cast<double>(size.end()));
  out.more.emplace_back("p99_ms_before", quiet.p99_ms);
  x.report(out);
}

} // namespace depositd::bench
