#pragma once

// Who is connected to NSQ's door, for operators.

#include "adapters/doors/nsq/door.hpp"

#include <mutex>
#include <string>

namespace depositd {

/// So many are told of.
inline constexpr std::size_t nsq_clients_max = 1'000;

/// Thread-safe.
class nsq_clients {
public:
  /// Null: the door is closed, or about to be.
  void set(const nsq::door* which);

  /// {"clients": [...], "more": bool}: consumers first, by topic and channel.
  std::string document() const;

private:
  mutable std::mutex mutex_;
  const nsq::door* door_ = nullptr;
};

} // namespace depositd
