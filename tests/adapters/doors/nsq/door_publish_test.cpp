// Messages on their way in.

#include "tests/adapters/doors/nsq/door_fixture.hpp"

namespace depositd::testing {

namespace {

TEST_F(nsq_door, refuses_who_makes_too_many_topics_and_channels) {
  start([](auto& x) { x.makers = std::make_shared<nsq::topic_makers>(2); });
  auto x = client();
  for (const auto* topic : {"t", "u", "t"}) {
    x.say(std::string{"PUB "} + topic, "m");
    EXPECT_EQ(x.answer(), "OK");
  }
  x.say("PUB v", "m");
  EXPECT_EQ(x.error(), "E_PUB_FAILED PUB failed the user has made as many "
                       "topics and channels as one may");
  EXPECT_TRUE(x.closed());
  auto other = client();
  other.say("SUB t c");
  EXPECT_EQ(other.error(), "E_SUB_FAILED SUB failed the user has made as many "
                           "topics and channels as one may");
  EXPECT_EQ(world->messages(), 3U);
}

TEST_F(nsq_door, row_q25_judges_sizes_and_stores_nothing_of_a_bad_mpub) {
  start([](auto& x) {
    x.limits.message_bytes_max = 100;
    x.limits.body_bytes_max = 1'000;
  });
  const auto refused = [&](const auto& say) {
    auto x = client();
    say(x);
    const auto out = x.error();
    EXPECT_TRUE(x.closed());
    return out.substr(0, out.find(' '));
  };
  auto good = client();
  good.say("PUB t", std::string(95, 'x'));
  EXPECT_EQ(good.answer(), "OK");
  good.mpub("t", std::vector<std::string>(5, std::string(100, 'x')));
  EXPECT_EQ(good.answer(), "OK");
  const auto pub = [&](std::size_t size) {
    return refused([&](auto& x) { x.say("PUB t", std::string(size, 'x')); });
  };
  const auto mpub = [&](const std::vector<std::string>& bodies) {
    return refused([&](auto& x) { x.mpub("t", bodies); });
  };
  const std::string full(100, 'x');
  EXPECT_EQ(pub(105), "E_BAD_MESSAGE");
  EXPECT_EQ(pub(0), "E_BAD_MESSAGE");
  EXPECT_EQ(mpub(std::vector<std::string>(11, full)), "E_BAD_BODY");
  EXPECT_EQ(mpub({"a", ""}), "E_BAD_MESSAGE");
  EXPECT_EQ(mpub({"a", full + "x"}), "E_BAD_MESSAGE");
  EXPECT_EQ(world->messages(), 6U);
}

TEST_F(nsq_door, what_comes_together_goes_as_one_message) {
  auto x = client();
  std::string all;
  for (int i = 0; i < 100; ++i)
    all += "PUB t\n" + std::string{"\0\0\0\1x", 5};
  x.send(all);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(x.answer(), "OK");
  EXPECT_EQ(world->messages(), 100U);
  EXPECT_LT(world->published().size(), 20U);
  EXPECT_EQ(world->published()[0].user, "127.0.0.1");
}

TEST_F(nsq_door, topics_and_delays_are_kept_apart) {
  auto x = client();
  const std::string body{"\0\0\0\1x", 5};
  x.send("PUB a\n" + body + "DPUB a 5000\n" + body + "PUB b\n" + body);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(x.answer(), "OK");
  const auto all = world->published();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].delay_ms, 5'000U);
  EXPECT_EQ(all[2].topic, "b");
}

TEST_F(nsq_door, row_q24_a_delay_beyond_the_limit_ends_the_connection) {
  start([](auto& x) { x.limits.req_timeout_max = ms{1'000}; });
  auto x = client();
  x.say("DPUB t 1100", "x");
  EXPECT_EQ(x.error(), "E_INVALID DPUB timeout 1100 out of range 0-1000");
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, row_r6_a_full_disk_is_an_error_to_the_publisher) {
  auto x = client();
  world->disk_full = true;
  x.say("PUB t", "x");
  EXPECT_EQ(x.error(), "E_PUB_FAILED PUB failed the disk is full");
  EXPECT_TRUE(x.closed());
  auto y = client();
  y.mpub("t", {"a", "b"});
  EXPECT_EQ(y.error(), "E_MPUB_FAILED MPUB failed the disk is full");
  EXPECT_EQ(world->messages(), 0U);
}

TEST_F(nsq_door, many_small_messages_of_one_command_are_answered_once) {
  auto x = client();
  x.mpub("t", std::vector<std::string>(25'000, "x"));
  EXPECT_EQ(x.answer(), "OK");
  EXPECT_EQ(world->messages(), 25'000U);
  EXPECT_TRUE(x.silent(ms{100}));
}

TEST_F(nsq_door, who_says_no_more_is_answered) {
  world->holds_publishes = true;
  auto x = client();
  x.say("PUB t", "held");
  shutdown(x.socket(), SHUT_WR);
  EXPECT_FALSE(x.next(ms{100})) << "not durable yet";
  world->holds_publishes = false;
  publish_to_t({"lets the other go"});
  EXPECT_EQ(x.answer(), "OK");
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, who_says_no_more_is_answered_behind_what_takes_a_while) {
  auto x = client();
  x.send("PUB t\n" + std::string("\0\0\0\1a", 5) + "SUB t c\n"
         + "PUB t\n" + std::string("\0\0\0\1b", 5));
  shutdown(x.socket(), SHUT_WR);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(x.answer(), "OK") << i;
  EXPECT_TRUE(x.closed());
  EXPECT_EQ(world->messages(), 2U);
  EXPECT_TRUE(soon([&] { return world->processors == 0; }));
}

TEST_F(nsq_door, the_user_is_who_publishes) {
  start([](auto& x) { x.user = nsq::anonymous_user_is::client_id; });
  auto x = client();
  x.identify(R"("client_id":"worker 7")");
  x.say("PUB t", "x");
  EXPECT_EQ(x.answer(), "OK");
  EXPECT_EQ(world->published().at(0).user, "worker_7");
}

TEST_F(nsq_door, messages_find_no_room_where_there_is_no_memory) {
  start([](auto& x) { x.memory = std::make_shared<memory_budget>(0); });
  auto x = client();
  x.say("PUB t", "x");
  EXPECT_EQ(x.error(), "E_PUB_FAILED PUB failed there is no memory for it");
  EXPECT_EQ(world->messages(), 0U);
}

} // namespace

} // namespace depositd::testing
