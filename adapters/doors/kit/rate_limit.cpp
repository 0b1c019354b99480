#include "adapters/doors/kit/rate_limit.hpp"

#include <algorithm>

namespace depositd::kit {

rate_limit::rate_limit(std::uint32_t requests_per_second)
  : rate_(requests_per_second) {
  // nop
}

bool rate_limit::take(const std::string& key, time now) {
  if (rate_ == 0)
    return true;
  const std::lock_guard lock{guard_};
  const auto [at, fresh] = buckets_.try_emplace(key, bucket{rate_, now});
  auto& x = at->second;
  const std::chrono::duration<double> passed = now - x.filled;
  x.held = std::min(rate_, x.held + passed.count() * rate_);
  x.filled = now;
  if (x.held < 1)
    return false;
  x.held -= 1;
  return true;
}

} // namespace depositd::kit
