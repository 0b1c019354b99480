#pragma once

// The engine's native door as a client on another process sees it: producers
// that keep a window of requests open, workers that take, end and take again.

#include "benchmarks/depositbench/measure.hpp"
#include "benchmarks/depositbench/workload.hpp"
#include "messages/actors.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace depositd::bench {

/// What the actors of a phase report to the thread that waits.
struct progress {
  std::atomic<std::uint64_t> enqueued{0}; ///< acknowledged items
  std::atomic<std::uint64_t> handed{0};   ///< items received
  std::atomic<std::uint64_t> settled{0};  ///< outcomes acknowledged
  std::atomic<bool> stop{false};          ///< producers send nothing more
  std::atomic<std::uint64_t> errors{0};
  std::mutex mutex;
  std::vector<std::uint32_t> enqueue_us; ///< request to acknowledgement
  std::vector<std::uint32_t> handed_us;  ///< intended sending to receipt
  std::vector<std::string> order;        ///< users in the order handed, P4

  void add_latencies(std::vector<std::uint32_t>& to,
                     const std::vector<std::uint32_t>& from) {
    std::lock_guard guard{mutex};
    to.insert(to.end(), from.begin(), from.end());
  }
};

/// How a producer sends.
struct producer_plan {
  std::string queue;
  std::uint64_t items = 0;   ///< in all; 0: until `progress.stop`
  std::size_t group = 1;     ///< items in one request
  std::size_t window = 1;    ///< requests open at once
  std::uint64_t backlog_max = 0; ///< pause while more wait; 0: never
  std::uint32_t users = 1000;
  std::uint32_t body_bytes = 1024;
  std::uint64_t seed = 1;
  /// > 0: open loop of this many items per second, marked with the time at
  /// which they were to be sent, in groups of what is due.
  double rate = 0;
};

/// How a worker takes.
struct worker_plan {
  std::string name;
  std::uint32_t credit = 1;   ///< items held at once
  bool one_by_one = true;     ///< one message per item, or per message received
  bool note_order = false;
  bool note_latency = false;
};

class native_client {
public:
  /// Connects to HOST:PORT; throws std::runtime_error with a clear text.
  native_client(caf::actor_system& system, const std::string& address);

  /// Spawns a producer or a worker; they report to `to` and end with `finish`.
  void produce(const producer_plan& plan, std::shared_ptr<progress> to);
  void work_on(const std::string& queue, const worker_plan& plan,
               std::shared_ptr<progress> to);

  /// Sends these items in their order and waits for the acknowledgement.
  void enqueue_now(const std::string& queue, std::vector<new_item> items);

  /// Runs an operator command; returns the JSON document.
  std::string command(const std::string& name, const std::string& arguments);

  /// Ends all producers and workers and waits until they are gone.
  void finish();

private:
  caf::actor_system& system_;
  admin_actor admin_;
  native_actor native_;
  std::vector<caf::actor> spawned_;
};

/// CAF's configuration for a client.
class client_config : public caf::actor_system_config {
public:
  client_config();
};

/// Microseconds on the steady clock, for marks.
std::uint64_t steady_us();

} // namespace depositd::bench
