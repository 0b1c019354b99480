#pragma once

// A connection for one kind of work, shared by threads one at a time, that
// comes back when the server does.

#include "adapters/stores/postgres/connection.hpp"

#include <functional>
#include <memory>
#include <mutex>

namespace depositd::postgres {

class channel {
public:
  /// Connects at first use. A server that is gone is tried again for
  /// `patience_ms` before a call fails.
  channel(connection_options options, std::uint32_t patience_ms);

  /// Runs what may be repeated: reads, and writes that do nothing the second
  /// time. If the connection is lost meanwhile it runs once more on a new one.
  /// Returns what `body` gives, an error or a value.
  template <class Body>
  auto repeatable(const Body& body) {
    return by_way_of<connection&>([this](const auto& x) { return repeat(x); },
                                  body);
  }

  /// The same, but runs at most once after the connection stands.
  template <class Body>
  auto once(const Body& body) {
    return by_way_of<connection&>([this](const auto& x) { return run(x); },
                                  body);
  }

private:
  caf::error repeat(const std::function<caf::error(connection&)>& body);
  caf::error run(const std::function<caf::error(connection&)>& body);
  caf::error ensure_open();

  std::mutex mutex_;
  connection_options options_;
  std::uint32_t patience_ms_;
  std::unique_ptr<connection> open_;
};

/// Connects; while the server is not there, for at most `patience_ms`, again.
caf::expected<std::unique_ptr<connection>>
open_patiently(const connection_options& options, std::uint32_t patience_ms);

} // namespace depositd::postgres
