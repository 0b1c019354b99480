#include "adapters/doors/kit/rate_limit.hpp"

#include <algorithm>

namespace depositd::kit {

namespace {

/// Whatever its rate, a bucket is full again after this time, and as good as
/// none.
constexpr std::chrono::seconds refill{1};

} // namespace

rate_limit::rate_limit(std::uint32_t requests_per_second)
  : rate_(requests_per_second) {
  // nop
}

bool rate_limit::take(const std::string& key, time now) {
  return rate_ == 0 || take(key, now, rate_);
}

rate_limit::bucket& rate_limit::bucket_of(const std::string& key, time now,
                                          double most) {
  if (const auto at = buckets_.find(key); at != buckets_.end())
    return at->second;
  if (now - swept_ >= refill) {
    swept_ = now;
    std::erase_if(
      buckets_, [&](const auto& x) { return now - x.second.filled >= refill; });
  }
  if (buckets_.size() >= keys_max)
    return others_;
  return buckets_.emplace(key, bucket{most, now}).first->second;
}

bool rate_limit::take(const std::string& key, time now, std::uint32_t rate) {
  const double most = rate;
  const std::lock_guard lock{guard_};
  auto& x = bucket_of(key, now, most);
  const std::chrono::duration<double> passed = now - x.filled;
  x.held = std::min(most, x.held + passed.count() * most);
  x.filled = now;
  if (x.held < 1)
    return false;
  x.held -= 1;
  return true;
}

std::size_t rate_limit::size() const {
  const std::lock_guard lock{guard_};
  return buckets_.size();
}

} // namespace depositd::kit
