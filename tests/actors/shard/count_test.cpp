// What a shard tells a door that would process a deposit past the queue.

#include "tests/support/engine_fixture.hpp"

namespace depositd {

namespace {

class count_test : public testing::engine_fixture {
protected:
  void SetUp() override {
    start();
  }

  pending_counted counted() {
    auto out = ask<pending_counted>(core, count_pending{"metadata", "ann"});
    EXPECT_TRUE(out);
    return out ? *out : pending_counted{};
  }

  std::uint32_t most() {
    return counted().running_max;
  }
};

TEST_F(count_test, says_what_waits_what_runs_and_the_limits) {
  EXPECT_EQ(counted().running, 0u);
  EXPECT_EQ(most(), 4u);
  put("metadata", items_of("ann", 5));
  auto sp = attach_to("metadata");
  want(sp, 2);
  const auto x = counted();
  EXPECT_EQ(x.pending, 3u);
  EXPECT_EQ(x.limit, 10'000u);
  EXPECT_EQ(x.running, 2u);
  ASSERT_TRUE(
    change({user_limits_changed{"metadata", "ann", false, 0, true, 7}}));
  EXPECT_EQ(most(), 7u);
}

TEST_F(count_test, says_who_is_handed_out_nothing) {
  ASSERT_TRUE(change({user_eligibility_changed{"ann", true, false}}));
  EXPECT_EQ(most(), 0u);
  ASSERT_TRUE(change({user_eligibility_changed{"ann", false, true}}));
  EXPECT_EQ(most(), 0u);
  ASSERT_TRUE(change({user_eligibility_changed{"ann", false, false},
                      server_changed{true, true}}));
  EXPECT_EQ(most(), 0u);
  auto settings = deposit_queue_defaults();
  settings.suspended = true;
  ASSERT_TRUE(
    change({server_changed{false, true}, queue_changed{"metadata", settings}}));
  EXPECT_EQ(most(), 0u);
  settings.suspended = false;
  ASSERT_TRUE(
    change({queue_changed{"metadata", settings},
            user_limits_changed{"metadata", "ann", true, 0, false, 0}}));
  EXPECT_EQ(most(), 0u);
  ASSERT_TRUE(
    change({user_limits_changed{"metadata", "ann", true, 1, true, 0}}));
  EXPECT_EQ(most(), 0u);
  ASSERT_TRUE(
    change({user_limits_changed{"metadata", "ann", false, 0, false, 0}}));
  EXPECT_EQ(most(), 4u);
}

} // namespace

} // namespace depositd
