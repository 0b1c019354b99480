// Topics across restarts, and across crashes between any two steps.

#include "tests/actors/shard/topics_fixture.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

using counts = std::vector<std::uint64_t>;

class topics_restart_test : public testing::topics_fixture {
protected:
  /// The first steps of what a request makes everybody do, and a crash.
  template <class Message>
  void crash_after(std::size_t steps, Message what) {
    caf::anon_send(core, std::move(what));
    for (std::size_t i = 0; i < steps && sched.try_run_once(); ++i)
      ;
    restart();
  }
};

TEST_F(topics_restart_test, row_r1_what_was_acknowledged_is_there) {
  make("t", "a");
  make("t", "b");
  const auto bodies = numbered("m", 500);
  for (const auto& body : bodies)
    ASSERT_TRUE(send("t", {body}));
  restart();
  EXPECT_EQ(drain_channel("t", "a"), sorted(bodies));
  EXPECT_EQ(drain_channel("t", "b"), sorted(bodies));
}

TEST_F(topics_restart_test, row_r2_in_flight_and_deferred_ones_too) {
  make("t", "c");
  ASSERT_TRUE(send("t", numbered("m", 9)));
  const auto who = consume("t", "c", 3);
  ASSERT_TRUE(send("t", {"later"}, 600'000));
  EXPECT_EQ(counts_of("t", "c"), (counts{6, 3, 1}));
  restart();
  EXPECT_EQ(counts_of("t", "c"), (counts{9, 0, 1}));
  const auto again = consume("t", "c", 20);
  EXPECT_EQ(sorted(again.got->bodies()), numbered("m", 9));
  for (const auto& item : again.got->items) {
    const auto& before = who.got->items;
    const bool was_out =
      std::any_of(before.begin(), before.end(),
                  [&](const auto& x) { return x.id == item.id; });
    EXPECT_EQ(item.attempt, was_out ? 2u : 1u);
  }
  pass(601s);
  EXPECT_EQ(again.got->bodies().back(), "later");
}

TEST_F(topics_restart_test, row_r3_a_delay_is_a_time_not_a_timer) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"later"}, 3'000'000));
  ASSERT_TRUE(send("waits", {"later"}, 3'000'000));
  pass(1'000s);
  restart();
  make("waits", "c"); // the delay goes on where the message goes
  EXPECT_EQ(counts_of("t", "c"), (counts{0, 0, 1}));
  EXPECT_EQ(counts_of("waits", "c"), (counts{0, 0, 1}));
  restart();
  const auto one = consume("t", "c", 1);
  const auto two = consume("waits", "c", 1);
  pass(1'990s);
  EXPECT_TRUE(one.got->items.empty());
  EXPECT_TRUE(two.got->items.empty());
  pass(20s);
  EXPECT_EQ(one.got->items.size(), 1u);
  EXPECT_EQ(two.got->items.size(), 1u);
}

TEST_F(topics_restart_test, row_r4_attempts_go_on_counting) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  {
    const auto who = consume("t", "c", 4);
    for (std::size_t i = 0; i < 3; ++i)
      answer(who, i, verdict::retry);
    ASSERT_EQ(who.got->items.size(), 4u);
    EXPECT_EQ(who.got->items.back().attempt, 4u);
  }
  restart();
  const auto who = consume("t", "c", 1);
  ASSERT_EQ(who.got->items.size(), 1u);
  EXPECT_EQ(who.got->items[0].attempt, 5u);
}

TEST_F(topics_restart_test, row_r5_what_was_finished_does_not_come_again) {
  make("t", "c");
  ASSERT_TRUE(send("t", numbered("m", 60)));
  const auto who = consume("t", "c", 50);
  finish_all(who);
  restart();
  EXPECT_EQ(drain_channel("t", "c").size(), 10u);
}

TEST_F(topics_restart_test, what_is_ephemeral_does_not_come_back) {
  make("t", "c");
  make("t", "c#ephemeral");
  make("e#ephemeral", "c");
  ASSERT_TRUE(send("t", numbered("m", 3)));
  ASSERT_TRUE(send("e#ephemeral", numbered("m", 3)));
  restart();
  EXPECT_FALSE(is_there("e#ephemeral"));
  EXPECT_EQ(topic_of("t").channels.size(), 1u);
  EXPECT_EQ(channel_of("t", "c").depth, 3u);
  make("t", "c#ephemeral");
  EXPECT_EQ(channel_of("t", "c#ephemeral").depth, 0u);
}

TEST_F(topics_restart_test, a_body_lives_as_long_as_a_copy_of_it) {
  body_budget = 0; // all are read from the journal
  disk_spare_bytes = 0;
  restart();
  make("t", "a");
  make("t", "b");
  std::vector<std::string> bodies;
  for (const auto& name : numbered("m", 20))
    bodies.push_back(name + std::string(300, '.'));
  ASSERT_TRUE(send("t", bodies));
  EXPECT_EQ(drain_channel("t", "a"), sorted(bodies));
  // Segments of the log come and go meanwhile, and old ones are cleared.
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(send("churn", {std::string(500, 'x')}));
    ASSERT_TRUE(say(topic_action::empty, "churn"));
    pass(1s);
  }
  EXPECT_EQ(drain_channel("t", "b"), sorted(bodies));
  ASSERT_TRUE(send("t", bodies));
  restart();
  EXPECT_EQ(drain_channel("t", "a"), sorted(bodies));
  EXPECT_EQ(drain_channel("t", "b"), sorted(bodies));
}

/// What has waited goes to the first channel, or to all after a pause.
class handing_over : public topics_restart_test,
                     public ::testing::WithParamInterface<std::size_t> {
protected:
  handing_over() {
    slice_items = 7;
  }
};

TEST_P(handing_over, to_the_first_channel_loses_and_repeats_nothing) {
  ASSERT_TRUE(send("t", numbered("m", 15), 0, "ann"));
  ASSERT_TRUE(send("t", numbered("n", 15), 0, "bob"));
  ASSERT_TRUE(send("t", {"later"}, 60'000));
  crash_after(GetParam(), order_topic{"t", "c", topic_action::create});
  make("t", "c");
  auto wanted = numbered("m", 15);
  const auto more = numbered("n", 15);
  wanted.insert(wanted.end(), more.begin(), more.end());
  EXPECT_EQ(topic_of("t").depth, 0u);
  EXPECT_EQ(counts_of("t", "c"), (counts{30, 0, 1}));
  EXPECT_EQ(drain_channel("t", "c"), sorted(wanted));
  pass(61s);
  EXPECT_EQ(drain_channel("t", "c"), std::vector<std::string>{"later"});
}

TEST_P(handing_over, to_all_channels_loses_and_repeats_nothing) {
  body_budget = GetParam() % 2 == 0 ? 0 : 1 << 20;
  restart();
  make("t", "a");
  make("t", "b");
  make("t", "c");
  ASSERT_TRUE(say(topic_action::pause, "t"));
  ASSERT_TRUE(send("t", numbered("m", 20)));
  ASSERT_TRUE(send("t", {"later"}, 60'000));
  crash_after(GetParam(), order_topic{"t", "", topic_action::unpause});
  ASSERT_TRUE(say(topic_action::unpause, "t"));
  EXPECT_EQ(topic_of("t").depth, 0u);
  for (const auto* channel : {"a", "b", "c"}) {
    EXPECT_EQ(counts_of("t", channel), (counts{20, 0, 1})) << channel;
    EXPECT_EQ(drain_channel("t", channel), sorted(numbered("m", 20)));
  }
  pass(61s);
  for (const auto* channel : {"a", "b", "c"})
    EXPECT_EQ(drain_channel("t", channel), std::vector<std::string>{"later"});
}

TEST_P(handing_over, a_publish_reaches_all_channels_or_none) {
  make("t", "a");
  make("t", "b");
  crash_after(GetParam(), publish{"t", "ann", 0, numbered("m", 5)});
  const auto a = drain_channel("t", "a");
  const auto b = drain_channel("t", "b");
  EXPECT_EQ(a, b);
  EXPECT_TRUE(a.empty() || a == numbered("m", 5));
}

TEST_P(handing_over, a_deletion_that_has_begun_is_completed) {
  make("t", "c");
  make("t", "keeps");
  ASSERT_TRUE(send("t", numbered("m", 30)));
  crash_after(GetParam(), order_topic{"t", "c", topic_action::remove});
  const auto x = topic_of("t");
  for (const auto& channel : x.channels) // all of it, or not begun
    EXPECT_EQ(channel.depth, 30u) << channel.name;
  make("t", "c");
  const auto depth = channel_of("t", "c").depth;
  EXPECT_EQ(depth, x.channels.size() == 2 ? 30u : 0u);
  EXPECT_EQ(channel_of("t", "keeps").depth, 30u);
}

INSTANTIATE_TEST_SUITE_P(crashes, handing_over,
                         ::testing::Range<std::size_t>(0, 60));

TEST_F(topics_restart_test, a_pause_stops_what_was_on_its_way) {
  slice_items = 7;
  restart();
  ASSERT_TRUE(send("t", numbered("m", 50)));
  auto made = self->request(core, caf::infinite,
                            order_topic{"t", "c", topic_action::create});
  auto paused = self->request(core, caf::infinite,
                              order_topic{"t", "", topic_action::pause});
  settle();
  const auto fail = [](const caf::error& why) { ADD_FAILURE() << render(why); };
  ASSERT_TRUE(self->has_next_message());
  made.receive([](const done&) {}, fail);
  ASSERT_TRUE(self->has_next_message());
  paused.receive([](const done&) {}, fail);
  const auto waits = topic_of("t").depth;
  EXPECT_GT(waits, 0u);
  EXPECT_EQ(waits + channel_of("t", "c").depth, 50u);
  ASSERT_TRUE(send("t", {"late"}, 0, "bob"));
  ASSERT_TRUE(say(topic_action::unpause, "t"));
  EXPECT_EQ(topic_of("t").depth, 0u);
  EXPECT_EQ(channel_of("t", "c").depth, 51u);
}

} // namespace

} // namespace depositd
