#pragma once

// Kafka's ingress topic as producers see it: they write deposits to it, and
// read what became of them from the egress topic. The engine's own processors
// do the work.

#include "benchmarks/depositbench/client.hpp"
#include "messages/ports/record_log.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace depositd::bench {

/// Deposits whose outcome was not read yet, by name. For any thread.
class open_deposits {
public:
  void add(std::string name, std::uint64_t mark);

  /// The mark of a deposit, which is open no more. None: it is somebody else's,
  /// or was told before, as brokers may tell things twice.
  std::optional<std::uint64_t> take(const std::string& name);

  std::size_t size() const;

private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> marks_;
};

/// The topics of the engine's settings of that name.
struct kafka_topics {
  std::string ingress;
  std::string egress;
  std::string dead_letter;
};

class kafka_client : public client {
public:
  /// From now on nothing of egress and dead letters is missed. Throws
  /// std::runtime_error with what the brokers said.
  kafka_client(const std::string& brokers, kafka_topics topics);
  ~kafka_client() override;

  /// One batch at a time, acknowledged by all replicas; the plan's window says
  /// nothing here.
  void produce(const producer_plan& plan,
               std::shared_ptr<progress> to) override;

  /// Reads outcomes: one reader is enough for all workers of a phase. A deposit
  /// that failed, or became a dead letter, ends the run.
  void work_on(const std::string& queue, const worker_plan& plan,
               std::shared_ptr<progress> to) override;
  void enqueue_now(const std::string& queue,
                   std::vector<new_item> items) override;

  /// Deposits cannot be taken back: waits until all are processed.
  void purge(const std::string& queue) override;
  void finish() override;

private:
  std::unique_ptr<record_sink> open_sink() const;
  void read_outcomes(const worker_plan& plan, progress& to);
  void read_dead_letters(progress& to);

  std::string brokers_;
  kafka_topics topics_;
  open_deposits open_;
  std::unique_ptr<record_source> outcomes_;
  std::unique_ptr<record_source> dead_letters_;
  const progress* read_for_ = nullptr; ///< whose reader there is
  std::atomic<bool> ended_{false};
  std::vector<std::thread> threads_;
};

} // namespace depositd::bench
