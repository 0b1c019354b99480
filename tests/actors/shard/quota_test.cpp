// How much of a user may wait, as a shard holds to it.

#include "tests/support/engine_fixture.hpp"

namespace depositd {

namespace {

class quota_test : public testing::engine_fixture {
protected:
  void SetUp() override {
    start();
    ASSERT_TRUE(change({queue_changed{"q", {}}}));
  }

  caf::expected<enqueued> send(std::size_t bytes,
                               const std::string& user = "ann") {
    return ask<enqueued>(core,
                         enqueue{"q", {{user, 0, std::string(bytes, 'x')}}});
  }

  bool is_over_bytes(std::size_t bytes, const std::string& user = "ann") {
    const auto said = send(bytes, user);
    EXPECT_TRUE(said);
    return said && said->refused == 1 && said->over_bytes;
  }

  caf::expected<enqueued> deposit(std::uint64_t bytes) {
    submit what{"metadata", "ann", 0, {}};
    what.submission.size = bytes;
    return ask<enqueued>(core, std::move(what));
  }
};

TEST_F(quota_test, refuses_bytes_beyond_it_and_says_why) {
  ASSERT_TRUE(change({quota_changed{"q", "ann", true, 100, false, 0}}));
  EXPECT_FALSE(is_over_bytes(60));
  EXPECT_TRUE(is_over_bytes(60));
  EXPECT_FALSE(is_over_bytes(40));
  EXPECT_FALSE(is_over_bytes(500, "bob"));
}

TEST_F(quota_test, of_everybody_holds_for_each) {
  ASSERT_TRUE(change({quota_changed{"q", "", true, 100, false, 0}}));
  EXPECT_FALSE(is_over_bytes(100));
  EXPECT_FALSE(is_over_bytes(100, "bob"));
  EXPECT_TRUE(is_over_bytes(1, "bob"));
}

TEST_F(quota_test, changes_for_who_is_there_and_after_a_restart) {
  EXPECT_FALSE(is_over_bytes(60));
  ASSERT_TRUE(change({quota_changed{"q", "ann", true, 100, false, 0}}));
  EXPECT_TRUE(is_over_bytes(60));
  crash();
  start();
  EXPECT_TRUE(is_over_bytes(60));
  ASSERT_TRUE(change({quota_changed{"q", "ann", false, 0, false, 0}}));
  EXPECT_FALSE(is_over_bytes(60));
}

TEST_F(quota_test, of_numbers_is_not_said_to_be_of_bytes) {
  queue_settings settings;
  settings.pending_limit = 1;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  EXPECT_TRUE(send(1));
  const auto said = send(1);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->refused, 1u);
  EXPECT_FALSE(said->over_bytes);
}

TEST_F(quota_test, holds_for_deposits_by_the_size_of_their_files) {
  ASSERT_TRUE(change({quota_changed{"metadata", "ann", true, 1000, false, 0}}));
  EXPECT_TRUE(deposit(900));
  const auto refused = deposit(900);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::quota_reached);
  const auto counted =
    ask<pending_counted>(core, count_pending{"metadata", "ann"});
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->bytes, 900u);
  EXPECT_EQ(counted->bytes_max, 1000u);
}

} // namespace

} // namespace depositd
