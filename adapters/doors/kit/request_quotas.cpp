#include "adapters/doors/kit/request_quotas.hpp"

namespace depositd::kit {

bool request_quotas::take(const control_state& known, const std::string& queue,
                          const std::string& user, time now) {
  if (known.quotas.empty())
    return true;
  const auto rate = quota_of(known, queue, user).requests_per_second;
  return rate == no_cap || buckets_.take(queue + '\n' + user, now, rate);
}

bool request_quotas::is_barred(const control_state& known,
                               const std::string& queue,
                               const std::string& user) {
  return !known.quotas.empty()
         && quota_of(known, queue, user).requests_per_second == 0;
}

} // namespace depositd::kit
