#include "adapters/doors/kit/rate_limit.hpp"

#include <algorithm>

namespace depositd::kit {

rate_limit::rate_limit(std::uint32_t requests_per_second)
  : rate_(requests_per_second) {
  // nop
}

bool rate_limit::take(const std::string& key, time now) {
  return rate_ == 0 || take(key, now, rate_);
}

bool rate_limit::take(const std::string& key, time now, std::uint32_t rate) {
  const double most = rate;
  const std::lock_guard lock{guard_};
  const auto [at, fresh] = buckets_.try_emplace(key, bucket{most, now});
  auto& x = at->second;
  const std::chrono::duration<double> passed = now - x.filled;
  x.held = std::min(most, x.held + passed.count() * most);
  x.filled = now;
  if (x.held < 1)
    return false;
  x.held -= 1;
  return true;
}

} // namespace depositd::kit
