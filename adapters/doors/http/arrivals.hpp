#pragma once

// Inside the server: connections that have not made a request yet. Silence
// costs its sender nothing, so when there is too much of it, the oldest goes.

#include "adapters/doors/kit/turnstile.hpp"

#include <cstdint>
#include <unordered_map>

namespace depositd::http {

class connection;

/// Of one loop, in its thread.
class arrivals {
public:
  using time_point = kit::turnstile::time_point;

  /// At most so many may be silent. Before the first comes.
  void limit(std::uint32_t unfinished_max);

  /// The one that is ended instead, if there are too many: it takes no place
  /// any more, though it has yet to be closed.
  connection* add(connection& x, time_point now);

  /// Its first request has a head, or it has gone.
  void forget(const connection& x);

private:
  kit::turnstile door_{kit::arrival_limits{}};
  std::unordered_map<std::uint64_t, connection*> silent_;
  std::uint64_t last_ = 0;
};

} // namespace depositd::http
