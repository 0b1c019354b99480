// The order in which a client may say things, over real sockets.

#include "tests/adapters/doors/nsq/door_fixture.hpp"

namespace depositd::testing {

namespace {

TEST_F(nsq_door, row_q1_answers_what_it_agrees_to) {
  auto x = client();
  const auto said = x.identify(R"("feature_negotiation":true)");
  for (const auto* part :
       {R"("max_rdy_count":2500)", R"("msg_timeout":60000)",
        R"("max_msg_timeout":900000)", R"("auth_required":false)"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST_F(nsq_door, row_q2_another_magic_ends_the_connection) {
  start();
  door_client x{door->port(), false};
  x.send("  V1");
  EXPECT_EQ(x.error(), "E_BAD_PROTOCOL");
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, row_q3_an_unknown_word_ends_the_connection) {
  auto x = client();
  x.say("ASDF");
  EXPECT_EQ(x.error(), "E_INVALID invalid command ASDF");
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, row_q4_empty_lines_hurt_nobody) {
  auto x = client();
  x.send("\n\n");
  EXPECT_EQ(x.error(), "E_INVALID invalid command ");
  EXPECT_TRUE(x.closed());
  publish_to_t({"still here"});
}

TEST_F(nsq_door, row_q5_a_heartbeat_beyond_the_limit_ends_the_connection) {
  auto x = client();
  EXPECT_EQ(x.identify(R"("heartbeat_interval":60001)"),
            "(other) E_BAD_BODY IDENTIFY heartbeat interval (60001) is "
            "invalid");
  EXPECT_TRUE(x.closed());
  EXPECT_EQ(client().identify(R"("heartbeat_interval":60000)"), "OK");
}

TEST_F(nsq_door, row_q7_without_heartbeats_one_may_publish_only) {
  auto x = client();
  EXPECT_EQ(x.identify(R"("heartbeat_interval":-1)"), "OK");
  x.say("PUB t", "x");
  EXPECT_EQ(x.answer(), "OK");
  x.say("SUB t c");
  EXPECT_EQ(x.error(), "E_INVALID cannot SUB with heartbeats disabled");
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, row_q8_one_subscribes_and_identifies_before_once) {
  auto x = consumer(1);
  x.say("SUB t c");
  EXPECT_EQ(x.error(), "E_INVALID cannot SUB in current state");
  EXPECT_TRUE(x.closed());
  auto y = consumer(1);
  y.say("IDENTIFY", "{}");
  EXPECT_EQ(y.error(), "E_INVALID cannot IDENTIFY in current state");
  EXPECT_TRUE(y.closed());
}

TEST_F(nsq_door, row_q9_consumers_commands_need_a_subscription) {
  for (const std::string line : {"RDY 1", "FIN 0123456789abcdef", "CLS"}) {
    auto x = client();
    x.say(line);
    EXPECT_EQ(x.error(),
              "E_INVALID cannot " + line.substr(0, 3) + " in current state");
    EXPECT_TRUE(x.closed());
  }
}

TEST_F(nsq_door, row_q10_names_end_the_connection_or_do_not) {
  const std::string longest(64, 'a');
  for (const auto& topic : {longest, std::string{"t#ephemeral"}}) {
    auto x = client();
    x.say("SUB " + topic + " c");
    EXPECT_EQ(x.answer(), "OK") << topic;
    auto y = client();
    y.say("PUB " + topic, "x");
    EXPECT_EQ(y.answer(), "OK") << topic;
  }
  for (const auto& topic : {longest + "a", std::string{"$"}, std::string{}}) {
    auto x = client();
    x.say("PUB " + topic, "x");
    EXPECT_EQ(x.error().substr(0, 11), "E_BAD_TOPIC") << topic;
    EXPECT_TRUE(x.closed());
  }
}

TEST_F(nsq_door, commands_may_come_before_their_answers) {
  publish_to_t({"a"});
  auto x = client();
  x.send("SUB t c\nRDY 1\nNOP\n");
  EXPECT_EQ(x.answer(), "OK");
  EXPECT_EQ(x.message()->body, "a");
}

TEST_F(nsq_door, tells_who_is_connected) {
  auto x = consumer(3, R"("client_id":"c1","hostname":"h","user_agent":"u/1")");
  publish_to_t({"a", "b"});
  ASSERT_TRUE(x.message() && x.message());
  ASSERT_TRUE(soon([&] {
    const auto all = door->statistics("t", "c");
    return all.size() == 1 && all[0].in_flight_count == 2;
  }));
  const auto facts = door->statistics("t", "").at(0);
  EXPECT_EQ(facts.client_id, "c1");
  EXPECT_EQ(facts.hostname, "h");
  EXPECT_EQ(facts.user_agent, "u/1");
  EXPECT_EQ(facts.state, nsq::client_state::subscribed);
  EXPECT_EQ(facts.ready_count, 3U);
  EXPECT_EQ(facts.message_count, 2U);
  EXPECT_EQ(facts.remote_address.substr(0, 10), "127.0.0.1:");
  EXPECT_TRUE(door->statistics("t", "other").empty());
  x.drop();
  EXPECT_TRUE(soon([&] { return door->statistics("", "").empty(); }));
}

} // namespace

} // namespace depositd::testing
