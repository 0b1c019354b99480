#pragma once

// Crossref's deposit door as depositors see it: they post small deposits and
// poll for the results. The engine's own processors do the work.

#include "benchmarks/depositbench/http_client.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace depositd::bench {

/// Deposits whose result is not known yet. Of each depositor only the oldest
/// is asked for, because they end in order. For the loop's thread alone, except
/// between phases.
class deposit_board {
public:
  explicit deposit_board(std::size_t senders);

  struct deposit {
    std::string file_name;
    std::uint64_t mark = 0;
  };

  void add(std::size_t sender, deposit x);

  /// Lends a depositor with an open deposit, each in turn; false: none is free.
  bool borrow(std::size_t& sender);
  const deposit& oldest(std::size_t sender) const;

  /// The oldest is done; false: it was the last one.
  bool take_oldest(std::size_t sender);
  void give_back(std::size_t sender);

  std::size_t open() const {
    return open_;
  }

private:
  struct place {
    std::deque<deposit> open;
    bool lent = false;
  };

  std::vector<place> places_;
  std::size_t next_ = 0;
  std::size_t open_ = 0;
};

class crossref_client : public http_client {
public:
  /// Logs everybody in once. Throws std::runtime_error with what the engine
  /// said.
  crossref_client(const std::string& address, std::vector<sender> logins);

  void produce(const producer_plan& plan,
               std::shared_ptr<progress> to) override;

  /// Polls for results; plan and queue say nothing here.
  void work_on(const std::string& queue, const worker_plan& plan,
               std::shared_ptr<progress> to) override;
  void enqueue_now(const std::string& queue,
                   std::vector<new_item> items) override;

  /// Deposits cannot be taken back: waits until all are processed.
  void purge(const std::string& queue) override;

private:
  std::shared_ptr<deposit_board> board_;
};

} // namespace depositd::bench
