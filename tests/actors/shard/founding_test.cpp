// Queues that come with their first use, and go when nobody uses them.

#include "tests/support/engine_fixture.hpp"

#include "messages/projection.hpp"
#include "messages/receiving.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

class founding_test : public testing::engine_fixture {
protected:
  founding_test() {
    queues_per_key_max = 2;
    queue_idle_max = 1h;
  }

  void SetUp() override {
    start();
    ASSERT_TRUE(change(
      {key_changed{"ann", std::string(64, 'a'), {{queue_right::any, "*"}}}}));
  }

  caf::expected<enqueued> send(const std::string& queue,
                               const std::string& user = "ann") {
    return ask<enqueued>(core, enqueue{queue, {{user, 0, "1"}}});
  }

  control_snapshot control() {
    auto known = ask<control_changed>(core, watch_control{nullptr});
    EXPECT_TRUE(known);
    return known ? known->state : nullptr;
  }

  shard::shard_state& shard_memory() {
    return caf::actor_cast<
             shard::shard_self::stateful_pointer<shard::shard_state>>(core)
      ->state;
  }

  bool is_there(const std::string& queue) {
    return control()->queues.contains(queue);
  }

  /// Takes and acknowledges everything.
  void empty(const std::string& queue) {
    receive_items what;
    what.queue = queue;
    what.count = 10;
    what.lease_ms = 10'000;
    const auto got = ask<items_received>(core, std::move(what));
    ASSERT_TRUE(got);
    settle_items done;
    done.queue = queue;
    for (const auto& x : got->items)
      done.items.push_back({x.name});
    ASSERT_TRUE(ask<items_settled>(core, std::move(done)));
  }

  void pass(std::chrono::minutes time) {
    for (; time > 0min; time -= 1min)
      advance(1min);
  }
};

TEST_F(founding_test, refuses_a_key_more_queues_than_it_may_have) {
  EXPECT_TRUE(send("a"));
  EXPECT_TRUE(send("b"));
  const auto refused = send("c");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::invalid_argument);
  EXPECT_FALSE(is_there("c"));
  EXPECT_TRUE(send("a"));
  EXPECT_TRUE(send("d", "worker")); // has no key
  const auto moved = ask<move_begun>(core, move_queue{"a", "c", "ann"});
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error(), ec::invalid_argument);
}

TEST_F(founding_test, of_a_batch_is_of_all_its_queues_or_of_none) {
  const auto send_to = [&](const std::vector<std::string>& queues) {
    enqueue all{queues[0], {{"ann", 0, "1"}}, true};
    for (std::size_t i = 1; i < queues.size(); ++i)
      all.also.push_back({queues[i], {{"ann", 0, "1"}}});
    return ask<enqueued>(core, all);
  };
  EXPECT_TRUE(send("a"));
  EXPECT_EQ(send_to({"a", "b", "c"}).error(), ec::invalid_argument);
  EXPECT_FALSE(is_there("b"));
  EXPECT_FALSE(is_there("c"));
  const auto counted = ask<pending_counted>(core, count_pending{"a", "ann"});
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->pending, 1u);
  EXPECT_TRUE(send_to({"a", "b"}));
  EXPECT_TRUE(is_there("b"));
}

TEST_F(founding_test, counts_across_a_restart) {
  EXPECT_TRUE(send("a"));
  EXPECT_TRUE(send("b"));
  crash();
  start();
  EXPECT_FALSE(send("c"));
  EXPECT_TRUE(send("b"));
}

TEST_F(founding_test, an_empty_queue_goes_when_nobody_has_used_it_for_long) {
  ASSERT_TRUE(send("a"));
  empty("a");
  pass(50min);
  EXPECT_TRUE(is_there("a"));
  pass(20min);
  EXPECT_FALSE(is_there("a"));
  crash();
  start();
  EXPECT_FALSE(is_there("a"));
  // It comes again, empty, and works.
  ASSERT_TRUE(send("a"));
  EXPECT_EQ(report_of("a").ready, 1u);
  empty("a");
  EXPECT_EQ(report_of("a").items, 0u);
}

TEST_F(founding_test, it_comes_again_in_the_same_engine) {
  ASSERT_TRUE(send("a"));
  ASSERT_TRUE(send("b"));
  empty("a");
  pass(70min);
  ASSERT_FALSE(is_there("a"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(send("a"));
    EXPECT_EQ(report_of("a").ready, 1u);
    empty("a");
    pass(70min);
    ASSERT_FALSE(is_there("a"));
  }
  EXPECT_EQ(report_of("b").ready, 1u);
}

TEST_F(founding_test, a_queue_with_anything_in_it_stays) {
  ASSERT_TRUE(send("a"));
  ASSERT_TRUE(send("b"));
  receive_items what;
  what.queue = "b";
  what.count = 1;
  what.lease_ms = 24 * 3600 * 1000;
  ASSERT_TRUE(ask<items_received>(core, std::move(what)));
  pass(180min);
  EXPECT_TRUE(is_there("a"));
  EXPECT_TRUE(is_there("b"));
}

TEST_F(founding_test, it_goes_also_if_it_was_not_empty_for_long) {
  ASSERT_TRUE(send("a"));
  pass(180min);
  ASSERT_TRUE(is_there("a")) << "asked, and not empty";
  empty("a");
  pass(70min);
  EXPECT_FALSE(is_there("a"));
}

TEST_F(founding_test, it_stays_for_who_comes_while_it_is_asked) {
  ASSERT_TRUE(send("a"));
  empty("a");
  const auto number = shard_memory().queue_numbers.at("a");
  const auto is_asked = [&] { return shard_memory().queues[number].asked; };
  pass(55min);
  for (int i = 0; i < 20 && !is_asked(); ++i) {
    sched.advance_time(30s);
    while (!is_asked() && sched.try_run_once())
      ;
  }
  ASSERT_TRUE(is_asked());
  // It reaches the shard before what the queue has to say of itself.
  EXPECT_TRUE(send("a"));
  EXPECT_TRUE(is_there("a"));
  EXPECT_EQ(report_of("a").ready, 1u);
  empty("a");
  pass(70min);
  EXPECT_FALSE(is_there("a")) << "it was the last to come";
}

TEST_F(founding_test, it_takes_along_where_users_stood_in_its_ring) {
  const auto stands = [&] {
    return shard_memory().rings.contains({"a", "ann"});
  };
  ASSERT_TRUE(send("a"));
  empty("a");
  pass(5min);
  ASSERT_FALSE(shard_memory().users.contains("ann")) << "idle";
  ASSERT_TRUE(stands());
  pass(70min);
  ASSERT_FALSE(is_there("a"));
  EXPECT_FALSE(stands());
  // The tables have it no longer, either.
  ASSERT_TRUE(ask<submissions_found>(read_model, submission_query{}));
  crash();
  start();
  EXPECT_FALSE(stands());
}

TEST_F(founding_test, a_queue_that_is_polled_or_served_stays) {
  ASSERT_TRUE(send("a"));
  ASSERT_TRUE(send("b"));
  empty("a");
  empty("b");
  auto sp = attach_to("b");
  for (int i = 0; i < 4; ++i) {
    pass(40min);
    receive_items what;
    what.queue = "a";
    what.count = 1;
    what.lease_ms = 1'000;
    ASSERT_TRUE(ask<items_received>(core, std::move(what)));
  }
  EXPECT_TRUE(is_there("a"));
  EXPECT_TRUE(is_there("b"));
}

TEST_F(founding_test, a_queue_that_no_key_has_made_stays) {
  ASSERT_TRUE(send("w", "worker"));
  empty("w");
  ASSERT_TRUE(change({queue_changed{"made", {}}}));
  pass(180min);
  EXPECT_TRUE(is_there("w"));
  EXPECT_TRUE(is_there("made"));
}

TEST_F(founding_test, remembers_when_a_key_was_used) {
  EXPECT_TRUE(ask<done>(core, note_key_use{"ann", 500}));
  EXPECT_EQ(control()->keys_used.at("ann").used_us, 500);
  EXPECT_TRUE(ask<done>(core, note_key_use{"ann", 400}));
  EXPECT_TRUE(ask<done>(core, note_key_use{"nobody", 500}));
  EXPECT_EQ(control()->keys_used.at("ann").used_us, 500);
  EXPECT_EQ(control()->keys_used.size(), 1u);
  crash();
  start();
  EXPECT_EQ(control()->keys_used.at("ann").used_us, 500);
}

} // namespace

} // namespace depositd
