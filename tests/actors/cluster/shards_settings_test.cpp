// Settings are decided in one shard and are those of all, whatever goes.

#include "tests/actors/cluster/shards_of_two.hpp"

namespace depositd::testing {

namespace {

using std::chrono::milliseconds;
using numbers = std::vector<shard_number>;

TEST_F(shards, all_have_a_setting_before_it_is_answered) {
  two_engines();
  user_eligibility_changed held{"press", true, false};
  ASSERT_TRUE(ask<done>(b->router, propose{{held}}));
  for (shard_number shard = 0; shard < 4; ++shard) {
    const auto known = settings_in(owner_of(shard), shard);
    ASSERT_EQ(known->eligibilities.count("press"), 1u) << "shard " << shard;
    EXPECT_TRUE(known->eligibilities.at("press").held);
  }
  held.held = false;
  ASSERT_TRUE(ask<done>(a->router, propose{{held}}));
  for (shard_number shard = 0; shard < 4; ++shard) {
    const auto known = settings_in(owner_of(shard), shard);
    const auto at = known->eligibilities.find("press");
    EXPECT_TRUE(at == known->eligibilities.end() || !at->second.held);
  }
}

TEST_F(shards, tell_doors_of_every_engine_about_settings) {
  two_engines();
  const auto before = ask<control_changed>(a->router, watch_control{nullptr});
  ASSERT_TRUE(before);
  ASSERT_TRUE(ask<done>(
    b->router, propose{{account_changed{"press", "hash", {}}}}));
  pass(milliseconds{100});
  for (auto* x : {a, b}) {
    const auto now = ask<control_changed>(x->router, watch_control{nullptr});
    ASSERT_TRUE(now);
    EXPECT_EQ(now->state->accounts.count("press"), 1u);
    EXPECT_GT(now->revision, before->revision);
  }
}

TEST_F(shards, learn_what_was_set_while_they_had_no_engine) {
  two_engines();
  auto& zero = owner_of(0);
  auto& other = other_than(zero);
  const auto lost = owns(other).front();
  crash(other);
  // Answered although a shard has no engine: it will know before it serves.
  auto waiting =
    self->request(zero.router, caf::infinite,
                  propose{{user_eligibility_changed{"press", true, false}}});
  pass(milliseconds{2 * lease_ms});
  ASSERT_TRUE(self->has_next_message());
  waiting.receive([](const done&) {},
                  [](const caf::error& why) { FAIL() << render(why); });
  ASSERT_EQ(owns(zero), (numbers{0, 1, 2, 3}));
  EXPECT_EQ(settings_in(zero, lost)->eligibilities.count("press"), 1u);
}

TEST_F(shards, hand_nothing_out_under_old_settings_when_they_start_over) {
  two_engines();
  auto& zero = owner_of(0);
  auto& other = other_than(zero);
  const auto shard = owns(other).front();
  const auto queue = name_in(shard, "work");
  put(zero, queue, {{"u", 0, "x"}});
  fail_appends(*disks[shard].log, 1'000'000);
  auto waiting =
    self->request(zero.router, caf::infinite,
                  propose{{user_eligibility_changed{"u", true, false}}});
  pass(milliseconds{3 * lease_ms});
  ASSERT_TRUE(self->has_next_message());
  waiting.receive([](const done&) {},
                  [](const caf::error& why) { FAIL() << render(why); });
  // It was answered, though the shard could not write it down.
  fail_appends(*disks[shard].log, 0);
  std::vector<std::string> got;
  const auto worker =
    sys.spawn([&got, queue, core = other.cores.at(shard).shard](
                caf::event_based_actor* me) -> caf::behavior {
      return {[&got, queue, core, me](int) {
        me->request(core, caf::infinite,
                    receive_items{queue, "worker", 1, 60'000})
          .then(
            [&got](const items_received& x) {
              for (const auto& body : bodies(x))
                got.push_back(body);
            },
            [](const caf::error&) { /* it recovers */ });
      }};
    });
  adopt(worker);
  for (auto step = 0; step < 60; ++step) {
    sched.advance_time(milliseconds{50});
    for (auto i = 0; i < 30; ++i) { // whatever the shard is at
      caf::anon_send(worker, 1);
      sched.run_once();
    }
    settle();
  }
  EXPECT_EQ(got, std::vector<std::string>{});
  EXPECT_TRUE(settings_in(other, shard)->eligibilities.at("u").held);
  ASSERT_TRUE(ask<done>(
    zero.router, propose{{user_eligibility_changed{"u", false, false}}}));
  EXPECT_EQ(bodies(*poll(zero, queue, 9)), std::vector<std::string>{"x"});
}

} // namespace

} // namespace depositd::testing
