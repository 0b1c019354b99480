#pragma once

// What phases are made of; the same through every door.

#include "benchmarks/depositbench/doors.hpp"
#include "benchmarks/depositbench/phases.hpp"
#include "messages/workers.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace depositd::bench {

struct phase_context {
  const options& settings;
  const port_habits& habits;
  client& door;
  const report_function& report;

  /// As given, or what is usual times the door's share.
  std::uint64_t items_or(std::uint64_t normally) const;

  /// One in each shard; producers and workers are dealt out among them.
  std::vector<std::string> queues(const std::string& phase) const;
  /// The first of them, for phases with an order.
  std::string queue(const std::string& phase) const;
  std::uint32_t workers() const;
  producer_plan producer(const std::string& phase) const;
};

void fill_latency(figures& out, std::vector<std::uint32_t>& latencies);

/// `producers` producers of equal shares; returns when all is acknowledged.
std::shared_ptr<progress> produce_all(phase_context& x,
                                      const std::string& phase,
                                      producer_plan plan,
                                      std::uint32_t producers,
                                      std::uint64_t items);

/// Fills the queues of a phase.
void load(phase_context& x, const std::string& phase, std::uint64_t items);

/// `count` workers of this kind.
void work_all(phase_context& x, const std::string& phase, worker_plan plan,
              std::uint32_t count, const std::shared_ptr<progress>& to);

/// Enqueue and drain at once, as fast as it goes, never more than 10,000 wait.
figures p3_peak(phase_context& x, std::uint64_t items);

/// Open loop at a rate; latency counts from when an item was to be sent.
figures p3_open(phase_context& x, double rate, std::chrono::seconds length);

/// Memory of queued items, and how long a restart takes with all of them.
void restart(phase_context& x);

/// Disk use and latency while very many items pass through a short queue.
void disk(phase_context& x);

} // namespace depositd::bench
