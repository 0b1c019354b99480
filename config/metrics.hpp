#pragma once

// Whom the door of metrics asks in this engine.

#include "actors/engine/core.hpp"
#include "adapters/doors/http/server.hpp"
#include "adapters/doors/kit/certificate_life.hpp"
#include "adapters/doors/operations/metrics.hpp"
#include "config/record_logs.hpp"
#include "messages/values/memory_budget.hpp"

#include <caf/actor_control_block.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

class shared_shards;

struct measured_parts {
  depositd::engine::core_actors core;    ///< with one shard
  const shared_shards* shared = nullptr; ///< with several
  std::shared_ptr<log_roster> roster;
  processor_manager_actor processors;
  std::shared_ptr<memory_budget> budget;
};

/// What doors of HTTP count is left to who opens them.
metrics_options metrics_of(const measured_parts& x);

/// Servers by name, as long as they run. Thread-safe.
class door_counts {
public:
  void add(std::string door, const http::server& what);

  /// They may go after this.
  void clear();

  std::vector<door_numbers> all() const;

  /// What the certificates say that doors and others use; for ever.
  void add(std::shared_ptr<const kit::certificate_life> certificate);
  std::vector<certificate_numbers> certificates() const;

private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const kit::certificate_life>> certificates_;
  std::vector<std::pair<std::string, const http::server*>> servers_;
};

} // namespace depositd
