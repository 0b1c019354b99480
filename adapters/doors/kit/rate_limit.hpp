#pragma once

// How many requests each key may make.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace depositd::kit {

/// A bucket per key that fills at a steady rate and holds what one second
/// gives. Any thread.
class rate_limit {
public:
  using time = std::chrono::steady_clock::time_point;

  /// 0: no limit.
  explicit rate_limit(std::uint32_t requests_per_second);

  /// Whether the key may make one more request now; if so, it counts.
  bool take(const std::string& key, time now);

  /// The same at a rate of the key's own, above 0.
  bool take(const std::string& key, time now, std::uint32_t rate);

private:
  struct bucket {
    double held = 0;
    time filled;
  };

  const std::uint32_t rate_;
  std::mutex guard_;
  std::unordered_map<std::string, bucket> buckets_; ///< as many as keys
};

} // namespace depositd::kit
