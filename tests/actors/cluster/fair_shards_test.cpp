// Engines that share shards fairly, and shards that share pollers.

#include "tests/actors/cluster/shards_world.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace depositd::testing {

namespace {

using std::chrono::milliseconds;

class fair_shards : public shards_world {};

/// Leases of whose renewals one is answered as of before the last take.
class overtaken_leases : public shard_leases {
public:
  explicit overtaken_leases(std::shared_ptr<shard_leases> inner)
    : inner_(std::move(inner)) {
    // nop
  }

  shard_number count() const override {
    return inner_->count();
  }

  const engine_identity& self() const override {
    return inner_->self();
  }

  caf::expected<std::optional<epoch_number>>
  take(shard_number shard, std::uint32_t lease_ms) override {
    taken.push_back(shard);
    return inner_->take(shard, lease_ms);
  }

  caf::expected<std::vector<shard_number>> renew(std::uint32_t lease_ms,
                                                 bool reaches_logs) override {
    auto out = inner_->renew(lease_ms, reaches_logs);
    if (out && !taken.empty() && answers_late) {
      answers_late = false;
      std::erase(*out, taken.back());
      ++answered_late;
    }
    return out;
  }

  caf::error release(shard_number shard) override {
    return inner_->release(shard);
  }

  caf::error leave() override {
    return inner_->leave();
  }

  caf::expected<lease_table> list() override {
    auto out = inner_->list();
    if (const auto tell = listed; out && tell)
      tell(*out); // which may be the last time
    return out;
  }

  std::function<void(const lease_table&)> listed;
  std::vector<shard_number> taken;
  bool answers_late = false;
  int answered_late = 0;

private:
  std::shared_ptr<shard_leases> inner_;
};

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

TEST_F(fair_shards, keep_what_was_taken_while_a_renewal_was_on_its_way) {
  begin(2);
  std::shared_ptr<overtaken_leases> leases;
  around_leases = [&](std::shared_ptr<shard_leases> inner) {
    return leases = std::make_shared<overtaken_leases>(std::move(inner));
  };
  auto& stays = join("a");
  const auto of_a = leases;
  pass(milliseconds{500});
  auto& goes = join("b");
  pass(milliseconds{6 * lease_ms});
  ASSERT_EQ(owns(stays).size(), 1u);
  ASSERT_EQ(owns(goes).size(), 1u);
  const auto shard = owns(goes).front();
  crash(goes);
  of_a->taken.clear();
  // As soon as the shard is seen to be free, a renewal is due and asked for
  // together with it.
  of_a->listed = [&](const lease_table& x) {
    if (of_a->answers_late || !x.shards[shard].owner.name.empty())
      return;
    of_a->answers_late = true;
    of_a->listed = nullptr;
    sched.clock().current_time += milliseconds{lease_ms / 3 + 100};
    caf::anon_send(stays.keeper, look_now{});
  };
  pass(milliseconds{4 * lease_ms});
  EXPECT_EQ(of_a->answered_late, 1);
  EXPECT_EQ(of_a->taken, std::vector<shard_number>{shard});
  EXPECT_EQ(owns(stays).size(), 2u);
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
