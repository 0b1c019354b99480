#include "adapters/stores/files/own_leases.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

const engine_identity us{"only", "127.0.0.1:1"};

} // namespace

TEST(own_leases, are_there_for_the_taking_and_stay) {
  const auto leases = own_leases(us, 3);
  EXPECT_EQ(leases->count(), 3u);
  EXPECT_EQ(leases->self(), us);
  EXPECT_EQ(**leases->take(0, 1'000), 1u);
  EXPECT_EQ(**leases->take(2, 1'000), 1u);
  EXPECT_EQ(*leases->renew(1'000, true),
            (std::vector<shard_number>{0, 2}));
}

TEST(own_leases, have_a_higher_epoch_each_time) {
  const auto leases = own_leases(us, 1);
  EXPECT_EQ(**leases->take(0, 1'000), 1u);
  EXPECT_FALSE(leases->release(0));
  EXPECT_TRUE(leases->renew(1'000, true)->empty());
  EXPECT_EQ(**leases->take(0, 1'000), 2u);
}

TEST(own_leases, say_who_has_what) {
  const auto leases = own_leases(us, 2);
  ASSERT_TRUE(leases->take(1, 1'000));
  ASSERT_TRUE(leases->renew(9'000, false));
  const auto table = *leases->list();
  ASSERT_EQ(table.shards.size(), 2u);
  EXPECT_EQ(table.shards[0].owner, engine_identity{});
  EXPECT_EQ(table.shards[0].left_ms, 0);
  EXPECT_EQ(table.shards[1].owner, us);
  EXPECT_EQ(table.shards[1].left_ms, 9'000);
  ASSERT_EQ(table.engines.size(), 1u);
  EXPECT_EQ(table.engines[0].who, us);
  EXPECT_FALSE(table.engines[0].reaches_logs);
}

TEST(own_leases, end_when_the_engine_leaves) {
  const auto leases = own_leases(us, 2);
  ASSERT_TRUE(leases->take(0, 1'000));
  ASSERT_TRUE(leases->take(1, 1'000));
  EXPECT_FALSE(leases->leave());
  const auto table = leases->list();
  ASSERT_TRUE(table);
  for (const auto& x : table->shards)
    EXPECT_EQ(x.owner, engine_identity{});
}

} // namespace depositd
