#include "adapters/doors/http/arrivals.hpp"

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/io_loop.hpp"

#include <algorithm>
#include <limits>

namespace depositd::http {

void arrivals::limit(std::uint32_t unfinished_max) {
  kit::arrival_limits limits;
  limits.connections_max = std::numeric_limits<std::uint32_t>::max();
  limits.connections_per_address_max = limits.connections_max;
  limits.unfinished_max = unfinished_max;
  // All of them may be those of one proxy.
  limits.unfinished_per_address_max = unfinished_max;
  door_ = kit::turnstile{limits};
}

connection* arrivals::add(connection& x, time_point now) {
  x.number = ++last_;
  silent_[x.number] = &x;
  const auto instead_of = door_.enter(x.number, kit::holder_of(x.peer), now);
  const auto at = instead_of ? silent_.find(*instead_of) : silent_.end();
  if (at == silent_.end())
    return nullptr;
  auto* ended = at->second;
  silent_.erase(at);
  ended->expire();
  return ended;
}

void arrivals::forget(const connection& x) {
  if (silent_.erase(x.number) > 0)
    door_.leave(x.number);
}

} // namespace depositd::http
