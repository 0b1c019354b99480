#pragma once

// What the connections of one producer share, whatever the door.

#include "benchmarks/depositbench/client.hpp"
#include "benchmarks/depositbench/measure.hpp"
#include "benchmarks/depositbench/workload.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace depositd::bench {

struct producer_feed {
  struct items {
    std::size_t users = 1; ///< among whom they are drawn; at least 1
    std::uint32_t body_bytes = 0;
  };

  producer_feed(const producer_plan& x, std::shared_ptr<progress> reports,
                items what)
    : plan(x), to(std::move(reports)),
      source(static_cast<std::uint32_t>(what.users), what.body_bytes, x.seed),
      loop(x.rate) {
    // nop
  }

  producer_feed(const producer_feed&) = delete;
  producer_feed& operator=(const producer_feed&) = delete;

  ~producer_feed() {
    to->add_latencies(to->enqueue_us, latencies);
  }

  /// How many items may be sent now; by a rate, `due_max` at most.
  std::uint64_t ready(std::uint64_t due_max) {
    if (to->stop || to->failed || (plan.items > 0 && sent >= plan.items))
      return 0;
    if (plan.rate > 0)
      return std::min<std::uint64_t>(loop.due(sent), due_max);
    const bool waits =
      plan.backlog_max > 0 && to->waiting() > plan.backlog_max;
    return waits ? 0 : plan.group;
  }

  /// When an item of this number was to be sent, in steady microseconds.
  std::uint64_t mark(std::uint64_t now_us, std::uint64_t number) const {
    return plan.rate > 0 ? loop.intended_us(number) : now_us;
  }

  producer_plan plan;
  std::shared_ptr<progress> to;
  workload source;
  open_loop loop;
  std::uint64_t sent = 0;
  std::vector<std::uint32_t> latencies; ///< of requests, in microseconds
};

} // namespace depositd::bench
