#include "actors/rules/control/forgetting.hpp"

#include "actors/rules/control/control.hpp"

#include <gtest/gtest.h>

namespace depositd {
namespace {

constexpr const char* gone = "gone";
constexpr const char* other = "other";

key_changed a_key(const std::string& name) {
  return {name, "digest of " + name, {{queue_right::any, "*"}}};
}

/// Everything that can be set of a user.
std::vector<event> all_of(const std::string& user) {
  user_limits_changed limits;
  limits.queue = "q";
  limits.user = user;
  limits.has_allocation = true;
  limits.allocation = 3;
  quota_changed quota;
  quota.queue = "q";
  quota.user = user;
  quota.has_bytes_max = true;
  quota.bytes_max = 1'000;
  return {account_changed{user, "hash", {"10.5555"}},
          contact_changed{user, user + "@example.org", ""},
          user_eligibility_changed{user, true, false},
          limits,
          quota,
          a_key(user),
          a_key(user + " 2"),
          key_terms_changed{user + " 2", user, 5, 0},
          key_used{user + " 2", 7}};
}

control_state after(const std::vector<event>& changes) {
  control_state out;
  for (const auto& x : changes)
    rules::apply(out, x);
  return out;
}

TEST(forgetting, leaves_nothing_of_the_user_and_all_of_others) {
  auto changes = all_of(other);
  const auto without = after(changes);
  for (auto& x : all_of(gone))
    changes.push_back(std::move(x));
  auto now = after(changes);
  ASSERT_NE(now, without);
  const auto events = rules::events_that_forget(now, gone);
  EXPECT_EQ(events.size(), all_of(gone).size());
  for (const auto& x : events)
    rules::apply(now, x);
  EXPECT_EQ(now, without);
  EXPECT_TRUE(rules::events_that_forget(now, gone).empty());
}

} // namespace
} // namespace depositd
