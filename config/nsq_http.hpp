#pragma once

// NSQ's HTTP door and whoever tells nsqlookupds of this engine.

#include "adapters/doors/nsq/door.hpp"
#include "adapters/doors/nsq/http/door.hpp"
#include "config/doors.hpp"

#include <memory>
#include <string>

namespace depositd {

class nsq_http_api {
public:
  /// `clients` is the TCP door, which must outlive this; null: it is closed.
  /// `ec::bad_setting` names the key that is wrong.
  static caf::expected<std::unique_ptr<nsq_http_api>>
  open(caf::actor_system& system, const doors_options& options,
       const nsq::protocol_limits& limits, const nsq::door* clients);

  ~nsq_http_api();

  const std::string& address() const {
    return server_->address();
  }

  /// As `http::server::reload`.
  caf::error reload() {
    return server_->reload();
  }

  /// Takes nothing new; returns when no thread of it runs any more.
  void close();

private:
  nsq_http_api() = default;

  std::unique_ptr<nsq_http::door> door_; ///< outlives the server's threads
  std::unique_ptr<http::server> server_;
  std::shared_ptr<nsq_lookup::registrar> lookupds_;
};

} // namespace depositd
