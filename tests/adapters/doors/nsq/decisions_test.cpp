// Windows, times, order of answers, rights: what is decided without a socket.

#include "adapters/doors/nsq/answers.hpp"
#include "adapters/doors/nsq/authorizations.hpp"
#include "adapters/doors/nsq/clients.hpp"
#include "adapters/doors/nsq/flights.hpp"
#include "adapters/doors/nsq/login.hpp"
#include "adapters/doors/nsq/window.hpp"
#include "adapters/stores/files/sha256.hpp"

#include <gtest/gtest.h>

namespace depositd::testing {

namespace {

using namespace nsq;
using namespace std::chrono_literals;

TEST(nsq_window, asks_for_what_is_neither_held_nor_asked_for) {
  window x;
  EXPECT_EQ(x.next(0, 100).ask, 0U);
  x.set_ready(3);
  EXPECT_EQ(x.next(0, 100).ask, 3U);
  EXPECT_EQ(x.next(0, 100).ask, 0U);
  x.arrived(2);
  EXPECT_EQ(x.next(2, 100).ask, 0U);
  EXPECT_EQ(x.next(1, 100).ask, 1U);
}

TEST(nsq_window, that_shrinks_takes_back_what_was_asked_for) {
  window x;
  x.set_ready(10);
  x.next(0, 100);
  x.set_ready(4);
  const auto step = x.next(1, 100);
  EXPECT_TRUE(step.cancel);
  EXPECT_EQ(step.ask, 3U);
  x.set_ready(0);
  const auto last = x.next(1, 100);
  EXPECT_TRUE(last.cancel);
  EXPECT_EQ(last.ask, 0U);
  EXPECT_FALSE(x.open(0));
}

TEST(nsq_window, asks_for_no_more_at_once_than_there_is_room_for) {
  window x;
  x.set_ready(100);
  EXPECT_EQ(x.next(0, 8).ask, 8U);
  EXPECT_EQ(x.next(0, 0).ask, 0U);
  EXPECT_FALSE(x.next(0, 0).cancel);
}

TEST(nsq_flights, end_at_their_time_and_not_before) {
  flights x;
  const flights::time start{1h};
  x.add(1, {11, 0, start + 5s, start + 20s});
  x.add(2, {12, 0, start + 3s, start + 20s});
  EXPECT_EQ(x.next(), start + 3s);
  EXPECT_EQ(x.expire(start + 2s), 0U);
  EXPECT_EQ(x.expire(start + 3s), 1U);
  EXPECT_EQ(x.find(2), nullptr);
  EXPECT_EQ(x.take(1)->token, 11U);
  EXPECT_FALSE(x.take(1));
  EXPECT_FALSE(x.next());
}

TEST(nsq_flights, row_q20_touch_goes_to_the_limit_and_never_back) {
  flights x;
  const flights::time start{1h};
  x.add(1, {11, 0, start + 5s, start + 8s});
  EXPECT_FALSE(x.extend(1, start + 4s));
  EXPECT_EQ(x.extend(1, start + 7s), start + 7s);
  EXPECT_EQ(x.extend(1, start + 20s), start + 8s);
  EXPECT_FALSE(x.extend(1, start + 20s));
  EXPECT_EQ(x.expire(start + 8s), 1U);
}

TEST(nsq_flights, of_one_message_the_newest_counts) {
  flights x;
  const flights::time start{1h};
  x.add(1, {11, 0, start + 5s, start + 8s});
  x.add(1, {12, 0, start + 9s, start + 9s});
  EXPECT_EQ(x.size(), 1U);
  EXPECT_EQ(x.expire(start + 5s), 0U);
  EXPECT_EQ(x.find(1)->token, 12U);
}

TEST(nsq_answers, leave_in_the_order_of_their_commands) {
  answer_queue x;
  std::string sent;
  const auto send = [&](const std::string& frame) { sent += frame; };
  const auto first = x.expect();
  x.add("b");
  const auto silent = x.expect();
  const auto last = x.expect();
  x.complete(last, "d");
  x.drain(send);
  EXPECT_EQ(sent, "");
  x.complete(first, "a");
  x.drain(send);
  EXPECT_EQ(sent, "ab");
  x.complete(silent, "");
  x.complete(first, "again");
  x.drain(send);
  EXPECT_EQ(sent, "abd");
  EXPECT_TRUE(x.empty());
}

TEST(nsq_authorizations, are_those_of_nsqd_s_authentication_server) {
  const auto x = read_auth_state(R"({"ttl":60,"identity":"me",
    "identity_url":"http://me","authorizations":[
      {"topic":"^a","channels":[".*"],"permissions":["publish"]},
      {"topic":"b$","channels":["^c$"],"permissions":["subscribe"]}]})");
  ASSERT_TRUE(x);
  EXPECT_TRUE(x->allows("abc", ""));
  EXPECT_FALSE(x->allows("abc", "c"));
  EXPECT_FALSE(x->allows("bab", ""));
  EXPECT_TRUE(x->allows("bab", "c"));
  EXPECT_FALSE(x->allows("bab", "cc"));
  EXPECT_EQ(x->ttl, 60s);
}

TEST(nsq_authorizations, may_have_members_that_are_null) {
  const auto x = read_auth_state(R"({"ttl":60,"identity":null,
    "identity_url":null,"authorizations":[
      {"topic":"a","channels":null,"permissions":null},
      {"topic":"a","channels":[".*"],"permissions":["publish"]}]})");
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(x->identity, "");
  EXPECT_TRUE(x->allows("a", ""));
  EXPECT_FALSE(x->allows("a", "c"));
  const auto none = read_auth_state(R"({"ttl":60,"authorizations":null})");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->permits.empty());
}

TEST(nsq_authorizations, that_make_no_sense_are_refused) {
  for (const auto* bad :
       {"", "[]", R"({"ttl":0})", R"({"ttl":"x"})",
        R"({"ttl":1,"authorizations":[{"topic":"("}]})",
        R"({"ttl":1,"authorizations":[{"topic":"a","permissions":["own"]}]})"})
    EXPECT_FALSE(read_auth_state(bad)) << bad;
}

TEST(nsq_authorizations, have_a_thousand_patterns_at_most) {
  const auto many = [](int topics) {
    std::string out;
    for (int i = 0; i < topics; ++i)
      out += R"({"topic":"a"},)";
    // A topic and two channels.
    return read_auth_state(R"({"ttl":1,"authorizations":[)" + out
                           + R"({"topic":"b","channels":["c","d"]}]})");
  };
  EXPECT_EQ(many(997)->permits.size(), 998u);
  const auto more = many(998);
  ASSERT_FALSE(more);
  EXPECT_NE(render(more.error()).find("too many patterns"), std::string::npos);
}

// Compiled, those of one answer could take half a gigabyte.
TEST(nsq_authorizations, that_are_too_many_are_not_compiled) {
  std::string channels = R"("(")"; // whoever compiles it would say so
  for (int i = 0; i < 1'000; ++i)
    channels += R"(,"a")";
  const auto x = read_auth_state(
    R"({"ttl":1,"authorizations":[{"topic":"a","channels":[)" + channels
    + "]}]}");
  ASSERT_FALSE(x);
  EXPECT_NE(render(x.error()).find("too many patterns"), std::string::npos)
    << render(x.error());
}

TEST(nsq_authorizations, that_nobody_can_match_in_his_life_are_looked_at) {
  const auto x = read_auth_state(R"({"ttl":60,"authorizations":[
      {"topic":"^(a+)+$","channels":["^(.*c)*d$"],
       "permissions":["publish","subscribe"]}]})");
  ASSERT_TRUE(x);
  EXPECT_TRUE(x->allows(std::string(64, 'a'), "ccd"));
  EXPECT_FALSE(x->allows(std::string(63, 'a') + "b", "d"));
  EXPECT_FALSE(x->allows("a", std::string(64, 'c')));
}

TEST(nsq_authorizations, have_patterns_that_nsqd_would_read) {
  const auto with = [](const std::string& pattern) {
    return read_auth_state(R"({"ttl":1,"authorizations":[{"topic":")" + pattern
                           + R"(","channels":[""],)"
                             R"("permissions":["publish"]}]})");
  };
  const auto part = with("(?i:B)");
  ASSERT_TRUE(part) << render(part.error());
  EXPECT_TRUE(part->allows("abc", "")) << "somewhere in the name";
  EXPECT_TRUE(with("")->allows("abc", "")) << "none is any";
  EXPECT_TRUE(with(std::string(256, 'a')));
  for (const auto& bad :
       {std::string(257, 'a'), std::string{"(a)\\\\1"},
        std::string{"(?=a)"}, std::string{"a{1000}{1000}"}})
    EXPECT_FALSE(with(bad)) << bad;
}

TEST(nsq_authorizations, are_asked_for_as_nsqd_does) {
  const auth_question what{"s e&c", "10.0.0.1", true, "cn"};
  EXPECT_EQ(auth_url("host:1", what),
            "http://host:1/auth?common_name=cn&remote_ip=10.0.0.1&"
            "secret=s%20e%26c&tls=true");
  EXPECT_EQ(auth_url("https://h/x", {}),
            "https://h/x?common_name=&remote_ip=&secret=&tls=false");
}

kit::api_key key_with(queue_right right, const std::string& queue) {
  return {"k", {{right, queue}}, "k", never, nullptr};
}

TEST(nsq_rights, are_those_of_permits_with_a_prefix) {
  using enum topic_right;
  const auto sends = key_with(queue_right::post, "nsq/orders");
  EXPECT_TRUE(may(sends, publish, "orders"));
  EXPECT_FALSE(may(sends, publish, "orders2"));
  EXPECT_FALSE(may(sends, subscribe, "orders", "c"));
  const auto reads = key_with(queue_right::poll, "nsq/orders/*");
  EXPECT_TRUE(may(reads, subscribe, "orders", "c"));
  EXPECT_FALSE(may(reads, publish, "orders"));
  EXPECT_FALSE(may(reads, administer, "orders", "c"));
  const auto all = key_with(queue_right::any, "nsq/orders*");
  EXPECT_TRUE(may(all, administer, "orders"));
  EXPECT_TRUE(may(all, administer, "orders", "c"));
  EXPECT_TRUE(may(all, look, "orders", "c"));
  EXPECT_FALSE(may(all, administer, "other"));
  // A queue of the other door has another name.
  EXPECT_FALSE(may(key_with(queue_right::any, "orders"), publish, "orders"));
  EXPECT_TRUE(may(key_with(queue_right::any, "*"), publish, "orders"));
}

TEST(nsq_rights, nobody_is_anonymous_where_others_can_come) {
  EXPECT_TRUE(serves_anonymous({"127.0.0.1", 0}, false));
  EXPECT_FALSE(serves_anonymous({"0.0.0.0", 0}, false));
  EXPECT_TRUE(serves_anonymous({"0.0.0.0", 0}, true));
}

TEST(nsq_login, makes_users_of_addresses_and_names) {
  EXPECT_EQ(user_of_address("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(user_of_address("2001:db8::1"), user_of_address("2001:db8::2"));
  EXPECT_TRUE(legal_user_name(user_of_address("2001:db8::1")));
  EXPECT_EQ(user_name_of("a b/c"), "a_b_c");
  EXPECT_EQ(user_name_of(".."), "_..");
  EXPECT_TRUE(legal_user_name(user_name_of("")));
  EXPECT_TRUE(legal_user_name(user_name_of(std::string(100, 'x'))));
}

TEST(nsq_login, a_key_counts_until_it_is_removed) {
  const auto ring_of = [](bool known) {
    auto state = std::make_shared<control_state>();
    if (known)
      state->keys["k"] = {
        "k", sha256_hex("secret"), {{queue_right::post, "nsq/a"}}};
    return std::make_shared<const kit::key_ring>(std::move(state), false);
  };
  const login::time now{};
  login x;
  const auto keys = ring_of(true);
  EXPECT_EQ(x.may(topic_right::publish, "PUB", "a", "", keys, now),
            login::verdict::no);
  EXPECT_EQ(x.refused().text, "E_AUTH_FIRST AUTH required before PUB");
  EXPECT_FALSE(x.enter_with_key("wrong", keys));
  ASSERT_TRUE(x.enter_with_key("secret", keys));
  EXPECT_EQ(x.answer(), R"({"identity":"k","identity_url":"",)"
                        R"("permission_count":1})");
  EXPECT_EQ(x.may(topic_right::publish, "PUB", "a", "", keys, now),
            login::verdict::yes);
  EXPECT_EQ(x.may(topic_right::publish, "PUB", "b", "", keys, now),
            login::verdict::no);
  EXPECT_EQ(x.refused().text, "E_UNAUTHORIZED AUTH failed for PUB on \"b\" "
                              "\"\"");
  EXPECT_EQ(x.may(topic_right::publish, "PUB", "a", "", ring_of(false), now),
            login::verdict::no);
  EXPECT_EQ(x.refused().text, "E_AUTH_FAILED AUTH failed");
}

TEST(nsq_clients, row_q33_a_channel_has_so_many_consumers_at_most) {
  clients x;
  EXPECT_TRUE(x.consume("t", "c", 1));
  EXPECT_FALSE(x.consume("t", "c", 1));
  EXPECT_TRUE(x.consume("t", "d", 1));
  x.stop_consuming("t", "c");
  EXPECT_TRUE(x.consume("t", "c", 1));
  EXPECT_TRUE(x.consume("t", "c", 0));
}

TEST(nsq_clients, are_told_by_what_they_do) {
  clients x;
  const auto one = x.enter();
  const auto other = x.enter();
  one->change([](client_facts& facts) {
    facts.topic = "t";
    facts.channel = "c";
  });
  other->count_published("t", 3);
  EXPECT_EQ(x.consumers("t", "").size(), 1U);
  EXPECT_EQ(x.consumers("t", "d").size(), 0U);
  ASSERT_EQ(x.producers().size(), 1U);
  EXPECT_EQ(x.producers()[0].pub_counts.at(0).second, 3U);
  x.leave(one);
  EXPECT_TRUE(x.consumers("", "").empty());
}

} // namespace

} // namespace depositd::testing
