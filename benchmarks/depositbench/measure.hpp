#pragma once

// Clocks, CPU time, memory and percentiles.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace depositd::bench {

using clock = std::chrono::steady_clock;

/// CPU time of this process and of the server, microseconds.
struct cpu_times {
  double client_us = 0;
  double server_us = 0;
};

/// `server_pid` 0: no server figure.
cpu_times cpu_now(std::uint32_t server_pid);

/// Resident memory of a process, bytes; 0 if it is not there.
std::uint64_t resident_bytes(std::uint32_t pid);

/// Whether a process has ended, even if nobody has waited for it. Only then are
/// its files and ports free again.
bool has_ended(std::uint32_t pid);

/// Bytes that all files below a folder take on disk.
std::uint64_t folder_bytes(const std::string& folder);

/// The figures of one phase.
struct figures {
  std::string phase;
  std::uint64_t items = 0;
  double seconds = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double client_cpu_us_per_item = 0;
  double server_cpu_us_per_item = 0;
  std::vector<std::pair<std::string, double>> more; ///< the phase's own

  double items_per_second() const {
    return seconds > 0 ? static_cast<double>(items) / seconds : 0;
  }
};

/// Latencies, microseconds; percentiles sort them.
double percentile_ms(std::vector<std::uint32_t>& latencies_us, double share);

/// Times a phase and its CPU.
class stopwatch {
public:
  explicit stopwatch(std::uint32_t server_pid);

  /// Fills in what it measured since it was made.
  void finish(figures& out) const;

private:
  std::uint32_t server_pid_;
  clock::time_point started_;
  cpu_times cpu_;
};

} // namespace depositd::bench
