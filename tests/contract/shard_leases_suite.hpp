#pragma once

// What every lease store must do.

#include "messages/ports/shard_leases.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

/// Makes leases of `count` shards and keeps what they need.
class lease_driver {
public:
  virtual ~lease_driver() = default;

  static constexpr shard_number count = 3;

  virtual caf::expected<std::unique_ptr<shard_leases>>
  open(const std::string& name, shard_number shards)
    = 0;

  /// Lets time pass on the store's clock.
  virtual void pass(std::uint32_t ms) = 0;
};

struct lease_candidate {
  std::string name;
  std::function<std::unique_ptr<lease_driver>()> make;
};

class shard_leases_suite : public ::testing::TestWithParam<lease_candidate> {
protected:
  static constexpr std::uint32_t long_ms = 60'000;
  static constexpr std::uint32_t short_ms = 200;

  void SetUp() override {
    driver = GetParam().make();
    a = join("a");
    b = join("b");
    ASSERT_TRUE(a && b);
  }

  std::unique_ptr<shard_leases> join(const std::string& name) {
    auto out = driver->open(name, lease_driver::count);
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  static epoch_number take(shard_leases& by, shard_number shard,
                           std::uint32_t lease_ms = long_ms) {
    const auto taken = by.take(shard, lease_ms);
    EXPECT_TRUE(taken) << render(taken.error());
    return taken && *taken ? **taken : 0;
  }

  static std::vector<shard_number> renew(shard_leases& by,
                                         std::uint32_t lease_ms = long_ms) {
    const auto ours = by.renew(lease_ms, true);
    EXPECT_TRUE(ours) << render(ours.error());
    return ours ? *ours : std::vector<shard_number>{};
  }

  shard_lease seen(shard_number shard) {
    const auto table = a->list();
    EXPECT_TRUE(table) << render(table.error());
    return table ? table->shards.at(shard) : shard_lease{};
  }

  std::vector<std::string> alive() {
    const auto table = a->list();
    EXPECT_TRUE(table) << render(table.error());
    std::vector<std::string> out;
    if (table)
      for (const auto& x : table->engines)
        out.push_back(x.who.name);
    return out;
  }

  /// Of a short lease that a busy store may see the end of before it is asked:
  /// `attempt` begins one and says whether it lasted for what it asked.
  template <class Attempt>
  static bool in_a_short_lease(const Attempt& attempt) {
    constexpr int attempts_max = 100;
    for (int i = 0; i < attempts_max; ++i)
      if (attempt())
        return true;
    return false;
  }

  std::unique_ptr<lease_driver> driver;
  std::unique_ptr<shard_leases> a;
  std::unique_ptr<shard_leases> b;
};

using numbers = std::vector<shard_number>;

TEST_P(shard_leases_suite, lists_every_shard_before_anybody_has_one) {
  const auto table = a->list();
  ASSERT_TRUE(table);
  ASSERT_EQ(table->shards.size(), lease_driver::count);
  for (shard_number i = 0; i < lease_driver::count; ++i) {
    EXPECT_EQ(table->shards[i].shard, i);
    EXPECT_EQ(table->shards[i].owner.name, "");
    EXPECT_EQ(table->shards[i].left_ms, 0);
  }
  EXPECT_EQ(a->count(), lease_driver::count);
  EXPECT_EQ(a->self().name, "a");
}

TEST_P(shard_leases_suite, gives_a_shard_to_one_engine_at_a_time) {
  EXPECT_GT(take(*a, 1), 0u);
  EXPECT_EQ(take(*b, 1), 0u);
  EXPECT_GT(take(*b, 2), 0u);
  const auto x = seen(1);
  EXPECT_EQ(x.owner, a->self());
  EXPECT_GT(x.left_ms, long_ms / 2);
  EXPECT_LE(x.left_ms, long_ms);
}

TEST_P(shard_leases_suite, raises_the_epoch_with_every_owner) {
  const auto first = take(*a, 0);
  EXPECT_FALSE(a->release(0));
  const auto second = take(*b, 0);
  EXPECT_GT(second, first);
  EXPECT_EQ(seen(0).epoch, second);
}

TEST_P(shard_leases_suite, gives_a_released_shard_away_at_once) {
  take(*a, 0);
  EXPECT_FALSE(a->release(0));
  EXPECT_EQ(seen(0).owner.name, "");
  EXPECT_GT(take(*b, 0), 0u);
  EXPECT_FALSE(a->release(0)) << "not ours any more: no error";
  EXPECT_EQ(seen(0).owner.name, "b");
}

TEST_P(shard_leases_suite, ends_a_lease_that_nobody_renews) {
  const auto first = take(*a, 0, short_ms);
  take(*a, 1, long_ms);
  driver->pass(short_ms + 10);
  EXPECT_EQ(seen(0).owner.name, "");
  EXPECT_GT(take(*b, 0), first);
  EXPECT_EQ(renew(*a), numbers{1}) << "shard 0 is not a's any more";
  EXPECT_EQ(renew(*b), numbers{0});
}

TEST_P(shard_leases_suite, tells_who_reaches_the_logs) {
  const auto told = [&](const std::string& name) {
    const auto table = b->list();
    EXPECT_TRUE(table) << render(table.error());
    for (const auto& x : table->engines)
      if (x.who.name == name)
        return x.reaches_logs ? std::string{"yes"} : std::string{"no"};
    return std::string{"gone"};
  };
  ASSERT_TRUE(a->renew(long_ms, false));
  ASSERT_TRUE(b->renew(long_ms, true));
  EXPECT_EQ(told("a"), "no");
  EXPECT_EQ(told("b"), "yes");
  ASSERT_TRUE(a->renew(long_ms, true));
  EXPECT_EQ(told("a"), "yes");
}

TEST_P(shard_leases_suite, does_not_renew_what_has_ended) {
  take(*a, 0, short_ms);
  driver->pass(short_ms + 10);
  EXPECT_EQ(renew(*a), numbers{});
  EXPECT_EQ(seen(0).owner.name, "");
}

TEST_P(shard_leases_suite, keeps_what_is_renewed) {
  epoch_number first = 0;
  ASSERT_TRUE(in_a_short_lease([&] {
    first = take(*a, 2, short_ms);
    return renew(*a, long_ms) == numbers{2};
  }));
  driver->pass(short_ms + 10);
  EXPECT_EQ(take(*b, 2), 0u);
  EXPECT_EQ(seen(2).epoch, first) << "a renewal is no new owner";
}

TEST_P(shard_leases_suite, gives_an_engine_back_what_it_had_when_it_crashed) {
  const auto first = take(*a, 0);
  auto again = join("a");
  const auto second = take(*again, 0);
  EXPECT_GT(second, first);
  // The one that was before is out, should it still run.
  const auto late = a->renew(long_ms, true);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), ec::fenced);
  EXPECT_EQ(take(*a, 0), 0u);
  EXPECT_FALSE(a->release(0));
  EXPECT_EQ(renew(*again), numbers{0});
}

TEST_P(shard_leases_suite, knows_who_is_alive) {
  EXPECT_EQ(alive(), std::vector<std::string>{});
  renew(*a, long_ms);
  ASSERT_TRUE(in_a_short_lease([&] {
    renew(*b, short_ms);
    return alive() == std::vector<std::string>{"a", "b"};
  }));
  driver->pass(short_ms + 10);
  EXPECT_EQ(alive(), std::vector<std::string>{"a"});
}

TEST_P(shard_leases_suite, frees_everything_of_one_who_leaves) {
  renew(*b);
  take(*b, 0);
  take(*b, 1);
  take(*a, 2);
  EXPECT_FALSE(b->leave());
  EXPECT_EQ(alive(), std::vector<std::string>{});
  EXPECT_GT(take(*a, 0), 0u);
  EXPECT_GT(take(*a, 1), 0u);
  EXPECT_EQ(renew(*a), (numbers{0, 1, 2}));
}

TEST_P(shard_leases_suite, refuses_another_number_of_shards) {
  const auto other = driver->open("c", lease_driver::count + 1);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), ec::bad_setting);
  EXPECT_NE(render(other.error()).find("shards.count"), std::string::npos)
    << render(other.error());
  EXPECT_NE(render(other.error()).find("3 shards"), std::string::npos);
}

TEST_P(shard_leases_suite, lets_only_one_of_many_win) {
  std::vector<std::unique_ptr<shard_leases>> engines;
  for (const auto* name : {"c", "d", "e", "f"})
    engines.push_back(join(name));
  std::vector<std::vector<shard_number>> won(engines.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < engines.size(); ++i)
    threads.emplace_back([&, i] {
      for (shard_number shard = 0; shard < lease_driver::count; ++shard)
        if (const auto taken = engines[i]->take(shard, long_ms);
            taken && *taken)
          won[i].push_back(shard);
    });
  for (auto& x : threads)
    x.join();
  std::size_t all = 0;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    all += won[i].size();
    EXPECT_EQ(renew(*engines[i]), won[i]);
  }
  EXPECT_LE(all, lease_driver::count);
  EXPECT_GT(all, 0u);
}

} // namespace depositd
