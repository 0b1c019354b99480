// Engines that share shards fairly, and shards that share pollers.

#include "tests/actors/cluster/shards_world.hpp"

namespace depositd::testing {

namespace {

using std::chrono::milliseconds;

class fair_shards : public shards_world {};

TEST_F(fair_shards, go_to_who_has_least_whenever_they_become_free) {
  begin(6);
  auto& first = join("a");
  auto& second = join("b");
  pass(milliseconds{6 * lease_ms});
  ASSERT_EQ(owns(first).size(), 3u);
  const auto has = [](const engine& x) { return owns(x).size(); };
  for (int i = 0; i < 2; ++i) {
    SCOPED_TRACE(i);
    auto& third = join("c" + std::to_string(i));
    pass(milliseconds{6 * lease_ms});
    ASSERT_EQ(has(third), 2u);
    auto waiting = self->request(third.keeper, caf::infinite, leave_shards{});
    // The shares are equal at every moment, also at the first look.
    for (int step = 0; step < 200 && has(first) + has(second) < 6; ++step) {
      advance(milliseconds{50});
      EXPECT_LE(has(first), 3u);
      EXPECT_LE(has(second), 3u);
    }
    EXPECT_EQ(has(first), 3u);
    EXPECT_EQ(has(second), 3u);
    waiting.receive([](const done&) {},
                    [](const caf::error& why) { FAIL() << render(why); });
    crash(third);
  }
}

TEST_F(fair_shards, take_turns_when_a_queue_in_all_of_them_is_polled) {
  begin(4);
  auto& a = join("a");
  pass(milliseconds{500});
  join("b");
  pass(milliseconds{3'000});
  for (shard_number shard = 0; shard < 4; ++shard)
    for (const char* file : {"one.xml", "two.xml", "three.xml", "four.xml"})
      ASSERT_TRUE(deposit(a, name_in(shard, "press"), file));
  std::set<shard_number> seen;
  for (int i = 0; i < 4; ++i) {
    const auto got = poll(a, "metadata", 1);
    ASSERT_TRUE(got) << render(got.error());
    for (const auto& x : got->items)
      if (x.name.id != 0)
        seen.insert(shard_of_item(x.name.id));
  }
  EXPECT_EQ(seen, (std::set<shard_number>{0, 1, 2, 3}));
}

} // namespace

} // namespace depositd::testing
