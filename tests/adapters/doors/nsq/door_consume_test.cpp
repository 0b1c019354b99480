// Consumers: windows, endings, and who gets what.

#include "tests/adapters/doors/nsq/door_fixture.hpp"

#include <set>

namespace depositd::testing {

namespace {

const std::string unknown_id = "00000000ffffffff";

TEST_F(nsq_door, row_q11_nothing_comes_without_rdy) {
  auto x = consumer(0);
  publish_to_t({"a"});
  EXPECT_TRUE(x.silent(door_client::ms{200}));
  x.say("RDY 1");
  const auto got = x.message();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, "a");
  EXPECT_EQ(got->attempts, 1U);
  EXPECT_EQ(got->timestamp_ns, 1'700'000'000'000'000'000);
}

TEST_F(nsq_door, row_q12_rdy_is_a_window) {
  auto x = consumer(3);
  publish_to_t({"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
  std::vector<client_message> got;
  for (int i = 0; i < 3; ++i)
    got.push_back(*x.message());
  EXPECT_TRUE(x.silent(ms{200}));
  x.say("FIN " + got[0].id);
  EXPECT_TRUE(x.message());
  EXPECT_TRUE(x.silent(ms{200}));
}

TEST_F(nsq_door, a_window_that_shrinks_holds_at_once) {
  auto x = consumer(5);
  x.say("RDY 0");
  x.say("RDY 1");
  // RDY has no answer; that of a command behind it shows that it was heard.
  x.say("TOUCH " + std::string(16, '0'));
  ASSERT_TRUE(x.error().starts_with("E_TOUCH_FAILED"));
  publish_to_t({"a", "b", "c"});
  ASSERT_TRUE(x.message());
  EXPECT_TRUE(x.silent(ms{200}));
}

TEST_F(nsq_door, row_q13_rdy_beyond_the_limit_ends_the_connection) {
  start([](auto& x) { x.limits.rdy_max = 50; });
  auto x = consumer(51);
  EXPECT_EQ(x.error(), "E_INVALID RDY count 51 out of range 0-50");
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, row_q14_fin_is_silent_and_final) {
  auto x = consumer(1);
  publish_to_t({"a"});
  x.say("FIN " + x.message()->id);
  ASSERT_TRUE(soon([&] { return world->finished == 1; }));
  EXPECT_TRUE(x.silent(ms{100}));
  const auto facts = door->statistics("t", "c").at(0);
  EXPECT_EQ(facts.finish_count, 1U);
  EXPECT_EQ(facts.in_flight_count, 0U);
}

TEST_F(nsq_door, row_q15_only_the_owner_finishes) {
  auto owner = consumer(1);
  auto other = consumer(0);
  publish_to_t({"a"});
  const auto id = owner.message()->id;
  other.say("FIN " + id);
  EXPECT_EQ(other.error(),
            "E_FIN_FAILED FIN " + id + " failed ID not in flight");
  other.say("TOUCH " + id);
  EXPECT_EQ(other.error(),
            "E_TOUCH_FAILED TOUCH " + id + " failed ID not in flight");
  other.say("REQ " + unknown_id + " 0");
  EXPECT_EQ(other.error(),
            "E_REQ_FAILED REQ " + unknown_id + " failed ID not in flight");
  EXPECT_TRUE(other.silent(ms{50}));
  owner.say("FIN " + id);
  EXPECT_TRUE(soon([&] { return world->finished == 1; }));
}

TEST_F(nsq_door, row_q16_a_malformed_id_ends_the_connection) {
  auto x = consumer(1);
  x.say("FIN 12");
  EXPECT_EQ(x.error(), "E_INVALID invalid message ID");
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, row_q21_req_0_gives_back_at_once) {
  auto x = consumer(1);
  publish_to_t({"a"});
  const auto first = *x.message();
  x.say("REQ " + first.id + " 0");
  const auto again = x.message();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, first.id);
  EXPECT_EQ(again->attempts, 2U);
  EXPECT_EQ(door->statistics("t", "c").at(0).requeue_count, 1U);
}

TEST_F(nsq_door, row_q22_req_puts_off) {
  auto x = consumer(1);
  publish_to_t({"a"});
  const auto begun = std::chrono::steady_clock::now();
  x.say("REQ " + x.message()->id + " 500");
  EXPECT_EQ(x.message()->attempts, 2U);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, ms{500});
}

TEST_F(nsq_door, row_q23_req_beyond_the_limit_is_clamped) {
  start([](auto& x) { x.limits.req_timeout_max = ms{100}; });
  auto x = consumer(1);
  publish_to_t({"a"});
  x.say("REQ " + x.message()->id + " 3600000");
  const auto again = x.message();
  ASSERT_TRUE(again);
  x.say("REQ " + again->id + " -1");
  EXPECT_EQ(x.error(), "E_INVALID REQ could not parse timeout -1");
  EXPECT_TRUE(x.closed());
}

// An answer says that everything before it is durable.
TEST_F(nsq_door, an_answer_after_fin_waits_for_its_commit) {
  auto x = consumer(2);
  publish_to_t({"a"});
  const auto id = x.message()->id;
  world->holds_endings = true;
  x.say("FIN " + id);
  x.say("PUB other", "b");
  x.say("CLS");
  ASSERT_TRUE(soon([&] { return world->messages() == 2; }));
  EXPECT_TRUE(x.silent(ms{200}));
  world->holds_endings = false;
  EXPECT_EQ(x.answer(), "OK");
  EXPECT_EQ(x.answer(), "CLOSE_WAIT");
}

TEST_F(nsq_door, row_q28_after_cls_what_is_held_can_be_finished) {
  auto x = consumer(2);
  publish_to_t({"a"});
  const auto id = x.message()->id;
  x.say("CLS");
  EXPECT_EQ(x.answer(), "CLOSE_WAIT");
  x.say("RDY 5");
  publish_to_t({"b"});
  x.say("FIN " + id);
  EXPECT_TRUE(soon([&] { return world->finished == 1; }));
  EXPECT_TRUE(x.silent(ms{200}));
  EXPECT_EQ(consumer(1).message()->body, "b");
}

TEST_F(nsq_door, row_q31_what_a_dead_consumer_held_comes_at_once) {
  auto dying = consumer(1);
  publish_to_t({"a"});
  ASSERT_TRUE(dying.message());
  auto heir = consumer(1);
  dying.drop();
  const auto got = heir.message(ms{5'000});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->attempts, 2U);
}

TEST_F(nsq_door, row_q32_the_shard_is_told_of_consumers) {
  auto x = consumer(1);
  EXPECT_TRUE(soon([&] { return world->consumers == 1; }));
  x.drop();
  EXPECT_TRUE(
    soon([&] { return world->consumers == 0 && world->processors == 0; }));
}

TEST_F(nsq_door, who_joins_a_channel_that_ends_gets_the_next) {
  for (auto* ending : {&world->end_when_opened, &world->end_when_attached}) {
    *ending = 3;
    auto x = client();
    EXPECT_EQ(x.consume("t", "c#ephemeral", 1), "OK");
    EXPECT_EQ(*ending, 0);
    publish_to_t({"a"});
    const auto got = x.message();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "a");
  }
}

TEST_F(nsq_door, who_joins_a_channel_that_is_made_anew_gets_the_new_one) {
  world->renew_when_attached = 2;
  auto x = client();
  EXPECT_EQ(x.consume("t", "c#ephemeral", 1), "OK");
  EXPECT_EQ(world->renew_when_attached, 0);
  publish_to_t({"a"});
  const auto got = x.message();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, "a");
}

TEST_F(nsq_door, who_joins_a_channel_that_is_taken_away_is_told) {
  world->end_when_opened = 1'000;
  auto x = client();
  x.say("SUB t c#ephemeral");
  EXPECT_EQ(x.error().find("E_SUB_FAILED SUB failed "), 0U);
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, row_q33_a_channel_may_have_so_many_consumers) {
  start([](auto& x) { x.limits.channel_consumers_max = 1; });
  auto first = consumer(0);
  auto second = client();
  second.say("SUB t c");
  EXPECT_EQ(second.error(),
            "E_SUB_FAILED SUB failed E_TOO_MANY_CHANNEL_CONSUMERS");
  EXPECT_TRUE(second.closed());
  first.drop();
  ASSERT_TRUE(soon([&] { return door->statistics("t", "c").empty(); }));
  EXPECT_EQ(client().consume("t", "c", 1), "OK");
}

TEST_F(nsq_door, row_q38_a_sample_gets_a_part_and_the_rest_is_gone) {
  auto x = consumer(2'500, R"("sample_rate":42)");
  auto sender = client();
  constexpr int count = 10'000;
  for (int i = 0; i < 10; ++i) {
    sender.mpub("t", std::vector<std::string>(count / 10, "x"));
    ASSERT_EQ(sender.answer(), "OK");
  }
  int got = 0;
  EXPECT_TRUE(soon([&] {
    while (const auto next = x.message(ms{100})) {
      ++got;
      x.say("FIN " + next->id);
    }
    return world->finished == count;
  }));
  EXPECT_GT(got, 3'900);
  EXPECT_LT(got, 4'500);
}

TEST_F(nsq_door, row_a4_a_late_fin_of_an_emptied_channel_fails) {
  auto x = consumer(1);
  publish_to_t({"a"});
  const auto id = x.message()->id;
  order({"t", "c", topic_action::empty});
  x.say("FIN " + id);
  EXPECT_EQ(x.error(), "E_FIN_FAILED FIN " + id + " failed ID not in flight");
  publish_to_t({"b"});
  EXPECT_EQ(x.message()->body, "b");
}

TEST_F(nsq_door, row_a6_a_deleted_channel_s_consumers_are_let_go) {
  auto x = consumer(1);
  order({"t", "c", topic_action::remove});
  EXPECT_TRUE(x.closed());
  EXPECT_TRUE(soon([&] { return door->statistics("", "").empty(); }));
}

TEST_F(nsq_door, two_consumers_share_what_comes) {
  auto one = consumer(10);
  auto two = consumer(10);
  publish_to_t({"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",
                "10", "11", "12", "13", "14", "15", "16", "17", "18", "19"});
  std::set<std::string> all;
  // Nobody finishes any, so each gets what its window holds.
  for (auto* x : {&one, &two})
    for (int i = 0; i < 10; ++i) {
      const auto got = x->message();
      ASSERT_TRUE(got);
      all.insert(got->body);
    }
  EXPECT_EQ(all.size(), 20U);
}

TEST_F(nsq_door, drains_by_letting_consumers_finish) {
  auto x = consumer(1);
  publish_to_t({"a", "b"});
  const auto got = *x.message();
  EXPECT_FALSE(door->drain(ms{50}));
  x.say("FIN " + got.id);
  EXPECT_TRUE(door->drain(door_client::patience));
  EXPECT_TRUE(x.silent(ms{100}));
  door->close();
  EXPECT_TRUE(x.closed());
}

} // namespace

} // namespace depositd::testing
