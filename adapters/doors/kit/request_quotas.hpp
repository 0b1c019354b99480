#pragma once

// The quota of requests per second of users in queues. All doors of an engine
// share one, so a user has no more by coming in through several.

#include "adapters/doors/kit/rate_limit.hpp"
#include "messages/values/control.hpp"

#include <string>

namespace depositd::kit {

/// Any thread.
class request_quotas {
public:
  using time = rate_limit::time;

  /// Whether the user may make one more request about the queue, by the core's
  /// name; if so, it counts. Without a quota nothing is kept.
  bool take(const control_state& known, const std::string& queue,
            const std::string& user, time now);

  /// Whether the user may never make any: who waits for it waits in vain.
  static bool is_barred(const control_state& known, const std::string& queue,
                        const std::string& user);

private:
  rate_limit buckets_{0};
};

} // namespace depositd::kit
