#pragma once

// The engine's native door as a client on another process sees it.

#include "benchmarks/depositbench/client.hpp"
#include "messages/actors.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <memory>
#include <string>
#include <vector>

namespace depositd::bench {

class native_client : public client {
public:
  /// Connects to HOST:PORT; throws std::runtime_error with a clear text.
  native_client(caf::actor_system& system, const std::string& address);

  void produce(const producer_plan& plan,
               std::shared_ptr<progress> to) override;
  void work_on(const std::string& queue, const worker_plan& plan,
               std::shared_ptr<progress> to) override;
  void enqueue_now(const std::string& queue,
                   std::vector<new_item> items) override;
  void purge(const std::string& queue) override;
  void finish() override;

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

} // namespace depositd::bench
