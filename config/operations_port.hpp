#pragma once

// The port of operators: health, metrics, their API.

#include "adapters/doors/http/server.hpp"
#include "adapters/doors/operations/api.hpp"
#include "adapters/doors/operations/health.hpp"
#include "adapters/doors/operations/metrics.hpp"
#include "config/doors.hpp"
#include "config/metrics.hpp"
#include "config/nsq_clients.hpp"

#include <caf/actor_system.hpp>

#include <memory>

namespace depositd {

class operations_port {
public:
  /// `ec::bad_setting`: the address cannot be listened at, or the certificate
  /// cannot be used. Its own numbers join the others that metrics tell of.
  static caf::expected<std::unique_ptr<operations_port>>
  open(caf::actor_system& system, const doors_options& options,
       const std::shared_ptr<door_counts>& counts,
       const std::shared_ptr<nsq_clients>& clients);

  http::server& server() {
    return *server_;
  }

  /// Answers nobody any more.
  void stop() {
    server_->stop();
  }

  /// Ends the actors, once nothing counts any more.
  void close();

private:
  operations_port() = default;

  void spawn(caf::actor_system& system, const doors_options& options,
             const std::shared_ptr<door_counts>& counts,
             const std::shared_ptr<nsq_clients>& clients);

  health_actor health_;
  metrics_door_actor metrics_;
  watcher_actor watcher_;
  api_door_actor api_;
  std::unique_ptr<http::server> server_;
};

} // namespace depositd
