// What the clerk does with leases of a store, in memory here.

#include "actors/cluster/lease_clerk.hpp"
#include "messages/cluster.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/memory_shard_leases.hpp"

#include <memory>

namespace depositd::testing {

namespace {

class lease_clerk_test : public actor_fixture {
protected:
  void SetUp() override {
    auto leases = make_memory_leases({2, [this] { return now; }});
    auto ours = open_memory_leases(leases, {"a", "127.0.0.1:4747"}, 2);
    ASSERT_TRUE(ours);
    clerk = spawn(cluster::lease_clerk,
                  std::shared_ptr<shard_leases>{std::move(*ours)});
  }

  leases_seen look(const look_at_leases& x) {
    auto out = ask<leases_seen>(clerk, x);
    EXPECT_TRUE(out);
    return out ? std::move(*out) : leases_seen{};
  }

  std::chrono::steady_clock::time_point now{std::chrono::hours{1}};
  lease_clerk_actor clerk;
};

} // namespace

// An operator looks whenever they like.
TEST_F(lease_clerk_test, looks_and_leaves_leases_as_they_are) {
  ASSERT_TRUE(ask<lease_taken>(clerk, take_lease{1, 4'000}));
  now += std::chrono::seconds{1};
  const auto seen = look({});
  EXPECT_FALSE(seen.renewed);
  EXPECT_TRUE(seen.ours.empty());
  ASSERT_EQ(seen.table.shards.size(), 2u);
  EXPECT_EQ(seen.table.shards[1].owner.name, "a");
  EXPECT_EQ(seen.table.shards[1].left_ms, 3'000);
}

TEST_F(lease_clerk_test, renews_all_that_it_took_before_it_looks) {
  ASSERT_TRUE(ask<lease_taken>(clerk, take_lease{1, 4'000}));
  now += std::chrono::seconds{1};
  const auto seen = look({true, 5'000, true});
  EXPECT_TRUE(seen.renewed);
  EXPECT_EQ(seen.ours, std::vector<shard_number>{1});
  ASSERT_EQ(seen.table.shards.size(), 2u);
  EXPECT_EQ(seen.table.shards[1].left_ms, 5'000);
}

} // namespace depositd::testing
