#pragma once

// How many requests each key may make.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace depositd::kit {

/// A bucket per key that fills at a steady rate and holds what one second
/// gives. Only keys of about the last second are kept. Any thread.
class rate_limit {
public:
  using time = std::chrono::steady_clock::time_point;

  /// Keys that have a bucket of their own; those beyond share one.
  static constexpr std::size_t keys_max = 100'000;

  /// 0: no limit.
  explicit rate_limit(std::uint32_t requests_per_second);

  /// Whether the key may make one more request now; if so, it counts.
  bool take(const std::string& key, time now);

  /// The same at a rate of the key's own, above 0.
  bool take(const std::string& key, time now, std::uint32_t rate);

  /// Keys that are kept now.
  std::size_t size() const;

private:
  struct bucket {
    double held = 0;
    time filled;
  };

  bucket& bucket_of(const std::string& key, time now, double most);

  const std::uint32_t rate_;
  mutable std::mutex guard_;
  std::unordered_map<std::string, bucket> buckets_;
  bucket others_; ///< of keys that find no room
  time swept_{};
};

} // namespace depositd::kit
