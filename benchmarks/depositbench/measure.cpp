#include "benchmarks/depositbench/measure.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd::bench {

namespace {

double seconds_us(const timeval& x) {
  return static_cast<double>(x.tv_sec) * 1e6 + static_cast<double>(x.tv_usec);
}

/// What /proc says of a process from its state on; empty if there is none.
std::string status_of(std::uint32_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/stat"};
  std::string line;
  if (!std::getline(in, line))
    return {};
  // The name may hold blanks: fields count from behind its bracket.
  return line.substr(line.rfind(')') + 2);
}

double process_cpu_us(std::uint32_t pid) {
  std::istringstream fields{status_of(pid)};
  std::string skipped;
  for (int i = 0; i < 11; ++i)
    fields >> skipped;
  double user = 0;
  double kernel = 0;
  fields >> user >> kernel;
  return (user + kernel) * 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

} // namespace

cpu_times cpu_now(std::uint32_t server_pid) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  cpu_times out;
  out.client_us = seconds_us(usage.ru_utime) + seconds_us(usage.ru_stime);
  if (server_pid > 0)
    out.server_us = process_cpu_us(server_pid);
  return out;
}

std::uint64_t resident_bytes(std::uint32_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/statm"};
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  in >> pages >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

bool has_ended(std::uint32_t pid) {
  const auto status = status_of(pid);
  if (status.empty() || status.front() == 'X')
    return true;
  if (status.front() != 'Z')
    return false;
  // The first thread may be over while others still hold the files.
  std::error_code gone;
  const std::filesystem::directory_iterator threads{
    "/proc/" + std::to_string(pid) + "/task", gone};
  return gone
         || std::distance(threads, std::filesystem::directory_iterator{}) <= 1;
}

std::uint64_t folder_bytes(const std::string& folder) {
  std::uint64_t out = 0;
  std::error_code gone; // files come and go while we look
  for (std::filesystem::recursive_directory_iterator at{folder, gone}, end;
       at != end; at.increment(gone)) {
    struct stat info {};
    if (stat(at->path().c_str(), &info) == 0 && S_ISREG(info.st_mode))
      out += static_cast<std::uint64_t>(info.st_blocks) * 512;
  }
  return out;
}

double percentile_ms(std::vector<std::uint32_t>& latencies_us, double share) {
  if (latencies_us.empty())
    return 0;
  const auto rank = static_cast<std::size_t>(
    share * static_cast<double>(latencies_us.size() - 1));
  std::nth_element(latencies_us.begin(),
                   latencies_us.begin() + static_cast<std::ptrdiff_t>(rank),
                   latencies_us.end());
  return latencies_us[rank] / 1000.0;
}

stopwatch::stopwatch(std::uint32_t server_pid)
  : server_pid_(server_pid),
    started_(clock::now()),
    cpu_(cpu_now(server_pid)) {
  // nop
}

void stopwatch::finish(figures& out) const {
  const auto cpu = cpu_now(server_pid_);
  out.seconds = std::chrono::duration<double>(clock::now() - started_).count();
  if (out.items == 0)
    return;
  const auto items = static_cast<double>(out.items);
  out.client_cpu_us_per_item = (cpu.client_us - cpu_.client_us) / items;
  out.server_cpu_us_per_item = (cpu.server_us - cpu_.server_us) / items;
}

} // namespace depositd::bench
