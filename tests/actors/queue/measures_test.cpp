// What a queue counts for who measures the engine, and how it judges its
// shares.

#include "messages/metrics.hpp"
#include "tests/support/polling_fixture.hpp"

#include <chrono>
#include <string>

namespace depositd {

namespace {

using namespace std::chrono_literals;

class queue_measures : public testing::polling_fixture {
protected:
  void SetUp() override {
    start();
    ASSERT_TRUE(change({queue_changed{"q", {}}}));
  }

  ring_measured measured(bool ends_step = false) {
    const auto all = ask<shard_measured>(core, measure_shard{ends_step});
    EXPECT_TRUE(all);
    for (const auto& x : all->rings)
      if (x.report.name == "q")
        return x;
    ADD_FAILURE() << "no queue";
    return {};
  }

  std::uint64_t turns(pick_kind by) {
    return measured()
      .counters.n[count_granted + static_cast<std::size_t>(by)];
  }

  /// Hands out `count` and ends them.
  void serve(const testing::test_processor& by, std::uint32_t count) {
    const auto before = by.got->items.size();
    want(by, count);
    ASSERT_EQ(by.got->items.size(), before + count);
    for (auto i = before; i < before + count; ++i)
      end(by, by.got->items[i]);
  }
};

TEST_F(queue_measures, count_turns_by_what_they_were_given_for) {
  for (const auto* user : {"ann", "bob", "carl"})
    put("q", items_of(user, 4));
  serve(attach_to("q"), 2);
  serve(attach_to("q", {no_size_limit, {"bob"}, {}, {}}), 3);
  serve(attach_to("q", {no_size_limit, {}, {"carl"}, {}}), 1);
  EXPECT_EQ(turns(pick_kind::round_robin), 2u);
  EXPECT_EQ(turns(pick_kind::required), 3u);
  EXPECT_EQ(turns(pick_kind::preferred), 1u);
}

TEST_F(queue_measures, name_who_waits_longest) {
  const auto user = [](std::size_t i) {
    return std::string{"user-"}.append(std::to_string(i));
  };
  for (std::size_t i = 0; i < users_named_max + 3; ++i, advance(1s))
    put("q", {{user(i), 0, "x"}});
  // Who came first gets what it wanted and comes again, last of all.
  serve(attach_to("q", {no_size_limit, {user(0)}, {}, {}}), 1);
  put("q", {{user(0), 0, "x"}});
  user_eligibility_changed hold;
  hold.user = user(1);
  hold.held = true;
  ASSERT_TRUE(change({hold}));
  const auto out = measured();
  ASSERT_EQ(out.waits.size(), users_named_max + 1) << "one more than is named";
  for (std::size_t i = 0; i < out.waits.size(); ++i) {
    EXPECT_EQ(out.waits[i].user, user(i + 1));
    EXPECT_EQ(out.waits[i].oldest_us,
              out.waits[0].oldest_us + static_cast<micros>(i) * 1'000'000);
  }
  EXPECT_EQ(out.oldest_us, out.waits[0].oldest_us) << "held or not";
  EXPECT_EQ(out.oldest_eligible_us, out.waits[1].oldest_us);
}

TEST_F(queue_measures, count_what_is_parked_once) {
  put("q", items_of("ann", 2));
  park_matching what;
  what.to_us = time_us * 2;
  ASSERT_TRUE(ask<matching_parked>(core, what));
  EXPECT_EQ(measured().parked, 2u);
  put("q", items_of("ann", 3));
  EXPECT_EQ(measured().parked, 2u);
}

TEST_F(queue_measures, wait_for_nobody_where_nothing_is) {
  put("q", {{"ann", 0, "x"}});
  serve(attach_to("q"), 1);
  const auto out = measured();
  EXPECT_TRUE(out.waits.empty());
  EXPECT_EQ(out.oldest_us, never);
  EXPECT_EQ(out.oldest_eligible_us, never);
}

TEST_F(queue_measures, tell_who_got_how_much_in_a_step) {
  put("q", items_of("ann", 9));
  put("q", items_of("bob", 9));
  const auto any = attach_to("q");
  const auto of_bob = attach_to("q", {no_size_limit, {"bob"}, {}, {}});
  serve(any, 2);
  measured(true);
  serve(of_bob, 2);
  serve(any, 2);
  auto out = measured(true);
  EXPECT_EQ(out.taken, 4u);
  ASSERT_EQ(out.shares.size(), 2u);
  EXPECT_EQ(out.shares[0].user, "bob");
  EXPECT_EQ(out.shares[0].taken, 3u);
  EXPECT_EQ(out.shares[1].user, "ann");
  EXPECT_EQ(out.shares[1].taken, 1u);
  serve(of_bob, 1);
  EXPECT_EQ(measured().taken, 4u) << "the step goes on";
  EXPECT_EQ(measured(true).taken, 1u);
  out = measured(true);
  EXPECT_EQ(out.taken, 0u);
  EXPECT_TRUE(out.shares.empty());
}

TEST_F(queue_measures, count_who_may_have_no_more_at_once) {
  ASSERT_TRUE(change({user_limits_changed{"q", "ann", false, 0, true, 1}}));
  put("q", items_of("ann", 3));
  put("q", items_of("bob", 3));
  const auto sp = attach_to("q");
  want(sp, 2);
  EXPECT_EQ(measured(true).users_at_cap, 1u);
  for (const auto& x : sp.got->items)
    end(sp, x);
  EXPECT_EQ(measured(true).users_at_cap, 0u);
}

TEST_F(queue_measures, judge_shares_of_who_could_always_be_served) {
  put("q", items_of("ann", 30));
  const auto any = attach_to("q");
  serve(any, 6);
  EXPECT_FALSE(measured(true).judged) << "ann was alone";
  put("q", items_of("bob", 30));
  measured(true); // from here both are there
  serve(any, 6);
  EXPECT_FALSE(measured(true).judged) << "three turns each are too few";
  serve(any, 2);
  auto out = measured(true);
  EXPECT_TRUE(out.judged);
  EXPECT_DOUBLE_EQ(out.evenness, 1);
  EXPECT_DOUBLE_EQ(out.lag, 0);
  // Somebody who serves but one of them.
  serve(attach_to("q", {no_size_limit, {"bob"}, {}, {}}), 8);
  out = measured(true);
  EXPECT_TRUE(out.judged);
  EXPECT_DOUBLE_EQ(out.evenness, 0.5) << "as if nobody else were there";
  EXPECT_DOUBLE_EQ(out.lag, 1);
}

TEST_F(queue_measures, judge_shares_by_allocation) {
  ASSERT_TRUE(change({user_limits_changed{"q", "ann", true, 3, false, 0}}));
  put("q", items_of("ann", 60));
  put("q", items_of("bob", 60));
  measured(true);
  serve(attach_to("q"), 32);
  const auto out = measured(true);
  EXPECT_TRUE(out.judged);
  EXPECT_DOUBLE_EQ(out.evenness, 1) << "24 of three are 8 of one";
  EXPECT_DOUBLE_EQ(out.lag, 0);
}

} // namespace

} // namespace depositd
