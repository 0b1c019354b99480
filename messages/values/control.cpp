#include "messages/values/control.hpp"

namespace depositd {

user_quota quota_of(const control_state& state, const std::string& queue,
                    const std::string& user) {
  user_quota out;
  const auto own = state.quotas.find({queue, user});
  const auto common = state.quotas.find({queue, ""});
  for (const auto& at : {common, own}) {
    if (at == state.quotas.end())
      continue;
    if (at->second.has_bytes_max)
      out.bytes_max = at->second.bytes_max;
    if (at->second.has_requests_per_second)
      out.requests_per_second = at->second.requests_per_second;
  }
  return out;
}

const std::string& user_of_key(const control_state& state,
                               const std::string& key) {
  const auto terms = state.key_terms.find(key);
  return terms == state.key_terms.end() ? key : terms->second.user;
}

} // namespace depositd
