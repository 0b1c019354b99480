#pragma once

// EmoDB's queue service as its clients see it. A user is an API key.

#include "benchmarks/depositbench/http_client.hpp"

namespace depositd::bench {

class emodb_client : public http_client {
public:
  /// One sender without a secret: no key is shown.
  emodb_client(const std::string& address, std::vector<sender> keys);

  void produce(const producer_plan& plan,
               std::shared_ptr<progress> to) override;
  void work_on(const std::string& queue, const worker_plan& plan,
               std::shared_ptr<progress> to) override;
  void enqueue_now(const std::string& queue,
                   std::vector<new_item> items) override;
  void purge(const std::string& queue) override;
};

} // namespace depositd::bench
