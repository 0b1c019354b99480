#include "actors/rules/control/forgetting.hpp"

namespace depositd::rules {

std::vector<event> events_that_forget(const control_state& now,
                                      const std::string& user) {
  std::vector<event> out;
  if (now.accounts.count(user) > 0)
    out.emplace_back(account_changed{user, "", {}});
  if (now.contacts.count(user) > 0)
    out.emplace_back(contact_changed{user, "", ""});
  if (now.eligibilities.count(user) > 0)
    out.emplace_back(user_eligibility_changed{user, false, false});
  for (const auto& [key, x] : now.limits)
    if (key.second == user) {
      user_limits_changed gone;
      gone.queue = key.first;
      gone.user = user;
      out.emplace_back(std::move(gone));
    }
  for (const auto& [key, x] : now.quotas)
    if (key.second == user) {
      quota_changed gone;
      gone.queue = key.first;
      gone.user = user;
      out.emplace_back(std::move(gone));
    }
  for (const auto& [name, x] : now.keys) {
    if (user_of_key(now, name) != user)
      continue;
    out.emplace_back(key_changed{name, "", {}});
    if (now.key_terms.count(name) > 0)
      out.emplace_back(key_terms_changed{name, ""});
    if (now.keys_used.count(name) > 0)
      out.emplace_back(key_used{name});
  }
  return out;
}

} // namespace depositd::rules
