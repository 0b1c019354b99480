#include "actors/rules/control/founding.hpp"

#include "actors/rules/control/control.hpp"

#include <gtest/gtest.h>

namespace depositd {
namespace {

class founding_test : public ::testing::Test {
protected:
  founding_test() {
    state.keys["ann"] = {"ann", "digest", {{queue_right::any, "*"}}};
  }

  caf::expected<std::vector<event>> found(const std::string& queue,
                                          const std::string& user = "ann",
                                          std::uint32_t max = 2) {
    auto made = rules::found(state, {queue, user, max});
    if (made)
      for (const auto& x : *made)
        rules::apply(state, x);
    return made;
  }

  control_state state;
};

TEST_F(founding_test, remembers_whose_first_use_made_a_queue) {
  const auto made = found("q");
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, (std::vector<event>{queue_changed{"q", {}},
                                       queue_founded{"q", "ann"}}));
  EXPECT_TRUE(rules::may_retire(state, "q"));
}

TEST_F(founding_test, is_refused_beyond_the_number_of_the_key) {
  EXPECT_TRUE(found("a"));
  EXPECT_TRUE(found("b"));
  const auto refused = found("c");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::invalid_argument);
  EXPECT_NE(render(refused.error()).find("as many as it may"),
            std::string::npos);
  rules::apply(state, queue_retired{"a", {}});
  EXPECT_TRUE(found("c"));
}

TEST_F(founding_test, counts_the_queues_of_each_user_alone) {
  state.keys["bob"] = {"bob", "other", {{queue_right::any, "*"}}};
  EXPECT_TRUE(found("a"));
  EXPECT_TRUE(found("b"));
  EXPECT_TRUE(found("c", "bob"));
  EXPECT_FALSE(found("d"));
}

TEST_F(founding_test, goes_by_the_number_that_a_key_has_itself) {
  state.key_terms["ann"] = {"ann", "ann", never, 3};
  for (const auto* name : {"a", "b", "c"})
    EXPECT_TRUE(found(name));
  EXPECT_FALSE(found("d"));
  // Another key of the user goes by what holds for all.
  state.keys["ann~2"] = {"ann~2", "more", {{queue_right::any, "*"}}};
  state.key_terms["ann~2"] = {"ann~2", "ann", never, 0};
  EXPECT_FALSE(found("d", "ann", 2));
  EXPECT_TRUE(found("d", "ann", 10));
}

TEST_F(founding_test, of_anonymous_callers_counts_too) {
  EXPECT_TRUE(found("a", "anonymous", 1));
  EXPECT_FALSE(found("b", "anonymous", 1));
}

TEST_F(founding_test, by_whoever_has_no_key_is_not_limited_and_stays) {
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(found("q" + std::to_string(i), "worker"));
  EXPECT_FALSE(rules::may_retire(state, "q0"));
}

TEST_F(founding_test, a_queue_that_somebody_has_set_something_for_stays) {
  for (const auto* name : {"a", "b", "c", "d"})
    ASSERT_TRUE(found(name, "ann", 10));
  rules::apply(state, user_limits_changed{"a", "bob", true, 2, false, 0});
  rules::apply(state, quota_changed{"b", "", true, 100, false, 0});
  auto settings = queue_settings{};
  settings.allocation = 5;
  rules::apply(state, queue_changed{"c", settings});
  for (const auto* name : {"a", "b", "c"})
    EXPECT_FALSE(rules::may_retire(state, name)) << name;
  EXPECT_TRUE(rules::may_retire(state, "d"));
}

TEST_F(founding_test, a_queue_of_a_move_in_progress_stays) {
  ASSERT_TRUE(found("a"));
  ASSERT_TRUE(found("b"));
  rules::apply(state, move_changed{"1", "a", "b", move_status::in_progress});
  EXPECT_FALSE(rules::may_retire(state, "a"));
  EXPECT_FALSE(rules::may_retire(state, "b"));
  rules::apply(state, move_changed{"1", "a", "b", move_status::complete});
  EXPECT_TRUE(rules::may_retire(state, "a"));
}

TEST_F(founding_test, a_retired_queue_is_as_if_it_had_never_been) {
  const auto before = state;
  ASSERT_TRUE(found("q"));
  EXPECT_TRUE(rules::apply(state, queue_retired{"q", {"ann"}}));
  EXPECT_EQ(state, before);
  EXPECT_FALSE(rules::apply(state, queue_retired{"q", {}}));
}

TEST(quota_of_test, is_the_users_own_or_that_of_everybody) {
  control_state state;
  EXPECT_EQ(quota_of(state, "q", "ann"), user_quota{});
  rules::apply(state, quota_changed{"q", "", true, 100, true, 7});
  rules::apply(state, quota_changed{"q", "ann", true, 5, false, 0});
  EXPECT_EQ(quota_of(state, "q", "ann"), (user_quota{5, 7}));
  EXPECT_EQ(quota_of(state, "q", "bob"), (user_quota{100, 7}));
  EXPECT_EQ(quota_of(state, "r", "bob"), user_quota{});
  rules::apply(state, quota_changed{"q", "ann", false, 0, false, 0});
  EXPECT_EQ(quota_of(state, "q", "ann"), (user_quota{100, 7}));
  rules::apply(state,
               quota_changed{"q", "ann", true, no_size_limit, true, no_cap});
  EXPECT_EQ(quota_of(state, "q", "ann"), user_quota{});
}

TEST(quota_check, wants_a_queue_and_a_rate_above_zero) {
  control_state state;
  state.queues["q"] = {};
  EXPECT_FALSE(
    rules::check(state, quota_changed{"q", "ann", true, 0, true, 1}));
  EXPECT_FALSE(rules::check(state, quota_changed{"q", "", true, 1, false, 0}));
  EXPECT_EQ(rules::check(state, quota_changed{"q", "", false, 0, true, 0}),
            ec::invalid_argument);
  EXPECT_EQ(rules::check(state, quota_changed{"r", "", true, 1, false, 0}),
            ec::not_found);
  EXPECT_EQ(rules::check(state, quota_changed{"q", "a b", true, 1, false, 0}),
            ec::invalid_argument);
}

TEST(key_terms_check, wants_a_key_and_a_user) {
  control_state state;
  state.keys["ann~2"] = {"ann~2", "digest", {}};
  EXPECT_FALSE(rules::check(state, key_terms_changed{"ann~2", "ann"}));
  EXPECT_EQ(rules::check(state, key_terms_changed{"ann", "ann"}),
            ec::not_found);
  EXPECT_EQ(rules::check(state, key_terms_changed{"ann~2", "a b"}),
            ec::invalid_argument);
  EXPECT_EQ(rules::check(state, key_terms_changed{"ann~x", "ann"}),
            ec::invalid_argument);
  EXPECT_FALSE(rules::check(state, key_used{"ann~2", 5}));
  EXPECT_EQ(rules::check(state, key_used{"bob", 5}), ec::not_found);
}

} // namespace
} // namespace depositd
