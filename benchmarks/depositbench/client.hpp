#pragma once

// A door as phases see it: producers that keep a window of requests open,
// workers that take, end and take again.

#include "benchmarks/depositbench/measure.hpp"
#include "benchmarks/depositbench/workload.hpp"
#include "messages/processors.hpp"
#include "messages/shard.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace depositd::bench {

/// What the parts of a phase report to the thread that waits.
struct progress {
  std::atomic<std::uint64_t> sent{0};     ///< items, acknowledged or not
  std::atomic<std::uint64_t> enqueued{0}; ///< acknowledged items
  std::atomic<std::uint64_t> deliver{0};  ///< items received
  std::atomic<std::uint64_t> settled{0};  ///< outcomes acknowledged
  std::atomic<bool> stop{false};          ///< producers send nothing more
  std::atomic<bool> failed{false};        ///< the run is over
  std::mutex mutex;
  std::string failure;                    ///< what the engine said first
  std::vector<std::uint32_t> enqueue_us;  ///< request to acknowledgement
  std::vector<std::uint32_t> handed_us;   ///< intended sending to receipt
  std::vector<std::uint64_t> order;       ///< marks in the order handed, P4

  /// What came and did not go yet; more may go, of what was there before.
  std::uint64_t waiting() const {
    const auto gone = settled.load();
    const auto come = enqueued.load();
    return come > gone ? come - gone : 0;
  }

  void add_latencies(std::vector<std::uint32_t>& to,
                     const std::vector<std::uint32_t>& from);

  /// Ends the run; only the first text is kept.
  void fail(const std::string& text);
};

/// Waits until a counter of `from` has reached the goal. Throws
/// std::runtime_error as soon as something failed, or after a minute without
/// any progress.
void await(progress& from, const std::atomic<std::uint64_t>& counter,
           std::uint64_t goal);

/// Stops the producers and waits until all they sent is settled. Throws like
/// `await`.
void await_end(progress& from);

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
  bool ack_and_poll = false; ///< emodb: both in one request
};

/// When items of an open loop are due.
class open_loop {
public:
  /// `rate` items per second from the first question on.
  explicit open_loop(double rate);

  /// How many more than `sent` are due by now.
  std::uint64_t due(std::uint64_t sent);

  /// When an item was to be sent.
  std::uint64_t intended_us(std::uint64_t number) const;

private:
  double rate_;
  std::uint64_t started_us_ = 0;
};

/// What a door offers and how its phases run unless options say otherwise.
struct port_habits {
  std::vector<std::string> phases;        ///< in the order of `all`
  std::vector<std::uint32_t> connections; ///< P1s runs with each
  std::vector<std::uint32_t> workers;     ///< P2 runs with each
  std::vector<std::uint32_t> prefetches;  ///< P2 runs with each
  double share = 1;                       ///< of the usual number of items
  /// P4: the others take time to arrive, so the count begins with the last.
  bool arrives_slowly = false;
  std::size_t group = 1000; ///< P1 and loading: items in one request
};

/// Everything but the constructor of an implementation may be called by one
/// thread only; what goes wrong later is told to the `progress`.
class client {
public:
  virtual ~client() = default;

  virtual void produce(const producer_plan& plan,
                       std::shared_ptr<progress> to) = 0;
  virtual void work_on(const std::string& queue, const worker_plan& plan,
                       std::shared_ptr<progress> to) = 0;

  /// Sends these items in their order and waits for the acknowledgement.
  /// Throws std::runtime_error with what the engine said.
  virtual void enqueue_now(const std::string& queue,
                           std::vector<new_item> items) = 0;

  /// Removes what still waits. Throws like `enqueue_now`.
  virtual void purge(const std::string& queue) = 0;

  /// Ends all producers and workers and waits until they are gone.
  virtual void finish() = 0;
};

/// Microseconds on the steady clock, for marks.
std::uint64_t steady_us();

} // namespace depositd::bench
