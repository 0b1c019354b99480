// Timeouts, heartbeats and buffers. Whoever is here may be held up for a second
// by others who compute: what is asserted of time holds all the same.

#include "tests/adapters/doors/nsq/door_fixture.hpp"

#include <algorithm>

namespace depositd::testing {

namespace {

using steady = std::chrono::steady_clock;

TEST_F(nsq_door, row_q17_what_is_not_answered_comes_again) {
  auto x = consumer(1, R"("msg_timeout":1000)");
  const auto begun = steady::now();
  publish_to_t({"a"});
  const auto first = *x.message();
  const auto again = x.message();
  const auto took = steady::now() - begun;
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, first.id);
  EXPECT_EQ(again->attempts, 2U);
  EXPECT_GE(took, ms{1'000});
  EXPECT_EQ(world->timed_out, 1U);
  EXPECT_EQ(world->requeued, 0U);
}

TEST_F(nsq_door, row_q18_what_timed_out_is_no_longer_the_owner_s) {
  start([](auto& x) { x.limits.msg_timeout = ms{150}; });
  auto x = consumer(1);
  publish_to_t({"a"});
  const auto id = x.message()->id;
  x.say("RDY 0");
  auto heir = consumer(1);
  ASSERT_TRUE(heir.message());
  while (x.message(ms{1}))
    ; // it came again before the door read RDY
  for (const std::string word : {"FIN", "TOUCH", "REQ"}) {
    x.say(word + " " + id + (word == "REQ" ? " 0" : ""));
    EXPECT_EQ(x.error(), "E_" + word + "_FAILED " + word + " " + id
                           + " failed ID not in flight");
  }
  EXPECT_TRUE(x.silent(ms{50}));
}

TEST_F(nsq_door, whose_clock_is_not_the_shard_s_takes_what_is_answered) {
  constexpr micros hour_us = 3'600'000'000;
  auto x = consumer(1);
  std::uint64_t finished = 0;
  for (const auto ahead : {-hour_us, hour_us}) {
    world->clock_ahead_us = ahead;
    publish_to_t({"a"});
    x.say("FIN " + x.message()->id);
    ++finished;
    EXPECT_TRUE(soon([&] { return world->finished == finished; })) << ahead;
  }
  EXPECT_TRUE(x.silent(ms{50}));
}

TEST_F(nsq_door, row_q19_touch_gives_more_time) {
  start([](auto& x) { x.limits.msg_timeout = ms{4'000}; });
  auto x = consumer(1);
  publish_to_t({"a"});
  const auto id = x.message()->id;
  EXPECT_TRUE(x.silent(ms{2'000}));
  x.say("TOUCH " + id);
  EXPECT_TRUE(x.silent(ms{2'200}));
  x.say("FIN " + id);
  EXPECT_TRUE(soon([&] { return world->finished == 1; }));
  EXPECT_EQ(world->timed_out, 0U);
}

TEST_F(nsq_door, row_q20_touch_ends_at_the_limit) {
  start([](auto& x) {
    x.limits.msg_timeout = ms{300};
    x.limits.msg_timeout_max = ms{1'000};
  });
  auto x = consumer(1);
  publish_to_t({"a"});
  const auto begun = steady::now();
  auto got = *x.message();
  // Ends early if we are held up, and at the limit at the latest.
  while (got.attempts == 1 && steady::now() - begun < ms{10'000}) {
    x.say("TOUCH " + got.id);
    if (const auto next = x.message(ms{50}))
      got = *next;
  }
  EXPECT_EQ(got.attempts, 2U);
  EXPECT_EQ(world->timed_out, 1U);
}

class nsq_touch : public nsq_door {
protected:
  /// For how many milliseconds the door renews a claim of a minute that is
  /// touched after 50 ms of at most `limit`; 0: the minute again.
  std::uint32_t touched_with(ms limit) {
    start([=](auto& x) {
      x.limits.msg_timeout = ms{60'000};
      x.limits.msg_timeout_max = limit;
    });
    auto x = consumer(1);
    publish_to_t({"a"});
    const auto id = x.message()->id;
    EXPECT_TRUE(x.silent(ms{50}));
    x.say("TOUCH " + id);
    EXPECT_TRUE(soon([&] { return !world->renewals().empty(); }));
    const auto renewals = world->renewals();
    EXPECT_EQ(renewals.size(), 1U);
    return renewals.at(0).lease_ms;
  }
};

TEST_F(nsq_touch, gives_the_whole_time_until_the_limit_is_near) {
  EXPECT_EQ(touched_with(ms{120'000}), 0U) << "as it is";
}

TEST_F(nsq_touch, gives_what_is_left_to_the_limit) {
  const auto left = touched_with(ms{60'030});
  EXPECT_LE(left, 60'030U - 49);
  EXPECT_GT(left, 0U);
}

TEST_F(nsq_door, row_q29_a_silent_client_is_let_go) {
  const auto begun = steady::now();
  auto x = consumer(1, R"("heartbeat_interval":1000)");
  int beats = 0;
  while (const auto next = x.next_of_all(ms{5'000}))
    beats += next->data == nsq::heartbeat_text;
  EXPECT_EQ(beats, 2);
  EXPECT_TRUE(x.closed(ms{1}));
  EXPECT_GE(steady::now() - begun, ms{2'000});
}

TEST_F(nsq_door, row_q30_a_client_that_says_nop_stays) {
  auto x = consumer(1, R"("heartbeat_interval":1000)");
  EXPECT_TRUE(x.silent(ms{3'500}));
  publish_to_t({"a"});
  EXPECT_TRUE(x.message());
}

TEST_F(nsq_door, row_q37_messages_wait_for_others_as_long_as_asked) {
  auto x = consumer(10, R"("output_buffer_timeout":500)");
  auto sender = client();
  const auto begun = steady::now();
  sender.say("PUB t", "a");
  EXPECT_EQ(sender.answer(), "OK");
  ASSERT_TRUE(x.message());
  EXPECT_GE(steady::now() - begun, ms{500});
}

TEST_F(nsq_door, messages_of_who_asks_for_no_time_come_at_once) {
  auto x = consumer(100);
  auto sender = client();
  // All of them would wait for 250 ms if it waited at all.
  auto quickest = steady::duration::max();
  for (int i = 0; i < 10; ++i) {
    const auto begun = steady::now();
    sender.say("PUB t", "a");
    EXPECT_EQ(sender.answer(), "OK");
    ASSERT_TRUE(x.message());
    quickest = std::min(quickest, steady::now() - begun);
  }
  EXPECT_LT(quickest, ms{200});
}

TEST_F(nsq_door, a_window_that_is_full_waits_for_nobody) {
  auto x = consumer(1, R"("output_buffer_timeout":20000)");
  publish_to_t({"a"});
  EXPECT_TRUE(x.message(ms{10'000}));
}

TEST_F(nsq_door, who_never_says_the_magic_is_let_go) {
  start([](auto& x) { x.arrivals.handshake = ms{200}; });
  door_client x{door->port(), false};
  x.send("  ");
  EXPECT_TRUE(x.closed());
}

} // namespace

} // namespace depositd::testing
