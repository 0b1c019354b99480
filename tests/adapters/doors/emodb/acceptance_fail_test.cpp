// What workers may say beside EmoDB's calls: that a message failed, now or for
// good, and with which document one is done.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class failures : public emodb_doors {
protected:
  static std::string failure(const message& x, const std::string& more = {}) {
    return R"([{"id":")" + x.id + R"(","reason":"as the test wants")" + more
           + "}]";
  }

  /// The only message of the queue, claimed.
  message claimed() {
    client.send(q, R"({"a":1})");
    const auto found = client.poll(q);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? message{} : found[0];
  }
};

} // namespace

ON_BOTH_DOORS(failures);

TEST_P(failures, a_message_that_failed_for_good_is_gone) {
  const auto x = claimed();
  EXPECT_TRUE(is_ok(client.post(q + "/fail", failure(x))));
  EXPECT_EQ(client.size(q), 0);
  EXPECT_EQ(client.claims(q), 0);
  EXPECT_EQ(client.poll(q).size(), 0u);
}

TEST_P(failures, a_message_that_failed_for_now_returns_after_the_delay) {
  const auto x = claimed();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(is_ok(client.post(q + "/fail", failure(x, R"(,"delay":0.5)"))));
  EXPECT_EQ(client.claims(q), 0);
  EXPECT_EQ(client.size(q), 1);
  std::vector<message> again;
  EXPECT_TRUE(wait_for([&] {
    again = client.poll(q);
    return !again.empty();
  }));
  EXPECT_GE(std::chrono::steady_clock::now() - before, 480ms);
  EXPECT_EQ(again, std::vector<message>{x});
}

TEST_P(failures, a_message_that_was_done_before_is_skipped) {
  const auto x = claimed();
  EXPECT_TRUE(is_ok(client.post(q + "/fail", failure(x, R"(,"skip":true)"))));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(failures, a_message_that_cannot_be_worked_on_yet_comes_again) {
  const auto x = claimed();
  EXPECT_TRUE(is_ok(
    client.post(q + "/fail", failure(x, R"(,"delay":0,"not_yet":true)"))));
  EXPECT_EQ(client.claims(q), 0);
  std::vector<message> again;
  EXPECT_TRUE(wait_for([&] {
    again = client.poll(q);
    return !again.empty();
  }));
  EXPECT_EQ(again, std::vector<message>{x});
  EXPECT_TRUE(
    is_bad_json(client.post(q + "/fail", failure(x, R"(,"not_yet":"soon")"))));
}

TEST_P(failures, a_delay_of_zero_is_no_delay) {
  const auto x = claimed();
  // The queue's own delay is longer than this test would wait.
  shared_engine().ctl({"queue", "set",
                       (GetParam() == flavour::queue ? "" : "dedupq/") + q,
                       "--retry-delay-ms", "600000"});
  EXPECT_TRUE(is_ok(client.post(q + "/fail", failure(x, R"(,"delay":0)"))));
  EXPECT_TRUE(wait_for([&] { return !client.poll(q).empty(); }));
}

TEST_P(failures, only_what_is_claimed_can_fail) {
  client.send(q, R"({"a":1})");
  const auto peeked = client.peek(q);
  ASSERT_EQ(peeked.size(), 1u);
  const auto refused =
    R"({"success":false,"refused":[")" + peeked[0].id + R"("]})";
  EXPECT_TRUE(says(client.post(q + "/fail", failure(peeked[0])), refused));
  EXPECT_EQ(client.size(q), 1);
  const auto found = client.poll(q);
  EXPECT_EQ(found, peeked);
  client.ack(q, found);
  EXPECT_TRUE(says(client.post(q + "/fail", failure(peeked[0])), refused));
}

TEST_P(failures, what_cannot_be_read_changes_nothing) {
  const auto x = claimed();
  for (const auto& body :
       {"[\"" + x.id + "\"]", std::string{R"([{"reason":"x"}])"},
        failure(x, R"(,"delay":-1)"), failure(x, R"(,"delay":"soon")"),
        failure(x, R"(,"delay":1e9)"), std::string{"{}"}, std::string{"["}})
    EXPECT_TRUE(is_bad_json(client.post(q + "/fail", body))) << body;
  EXPECT_TRUE(is_empty_body(client.post(q + "/fail", "")));
  EXPECT_TRUE(is_illegal(client.post(q + "/fail", R"([{"id":"x"}])")));
  EXPECT_TRUE(is_illegal(client.post("BAD/fail", "[]"), "Queue name must be"));
  EXPECT_EQ(client.claims(q), 1);
}

TEST_P(failures, one_bad_id_refuses_them_all) {
  client.send_all(q, numbered(2));
  const auto found = client.poll(q);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(is_illegal(client.post(
    q + "/fail", R"([{"id":")" + found[0].id + R"("},{"id":"wrong"}])")));
  EXPECT_EQ(client.claims(q), 2);
}

TEST_P(failures, an_ack_may_bring_a_document) {
  client.send_all(q, numbered(3));
  const auto found = client.poll(q);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(is_ok(client.post(
    q + "/ack", R"([{"id":")" + found[0].id
                  + R"(","document":"done","batch_id":"b"},")" + found[1].id
                  + R"(",{"id":")" + found[2].id + R"("}])")));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(failures, an_object_without_an_id_is_no_ack) {
  EXPECT_TRUE(is_bad_json(client.post(q + "/ack", R"([{"document":"x"}])")));
  EXPECT_TRUE(is_bad_json(client.post(q + "/ack", R"([{"id":7}])")));
  EXPECT_TRUE(is_bad_json(client.post(q + "/renew", R"([{"id":"x"}])")));
}

// -- operators and keys -------------------------------------------------------

TEST_P(failures, a_suspended_queue_takes_messages_and_hands_out_none) {
  const auto name = GetParam() == flavour::queue ? q : "dedupq/" + q;
  client.send(q, "1");
  shared_engine().ctl({"queue", "suspend", name});
  EXPECT_TRUE(says(client.get(q + "/poll"), "[]"));
  client.send(q, "2");
  EXPECT_EQ(client.size(q), 2);
  shared_engine().ctl({"queue", "resume", name});
  EXPECT_EQ(client.poll(q).size(), 2u);
}

TEST_P(failures, keys_share_a_queue_fairly) {
  std::vector<std::string> texts;
  for (int i = 0; i < 3; ++i) {
    const auto name = q + "-" + std::to_string(i);
    texts.push_back("text-of-the-key-" + name);
    shared_engine().add_key(name, texts.back(), {"queue|*|" + q});
    emodb_client mine{shared_engine().http_port(), client.base(), texts.back()};
    std::vector<std::string> sent;
    for (int n = 0; n < (i == 0 ? 100 : 5); ++n)
      sent.push_back("\"" + std::to_string(i) + "-" + std::to_string(n) + '"');
    mine.send_all(q, sent);
  }
  // The two small ones are served within the first rounds.
  std::map<char, int> seen;
  for (const auto& x : client.poll(q, "ttl=300&limit=18"))
    ++seen[x.payload.at(1)];
  EXPECT_EQ(seen['1'], 5);
  EXPECT_EQ(seen['2'], 5);
  EXPECT_EQ(seen['0'], 8);
}

TEST_P(failures, a_message_returns_however_often_it_was_polled) {
  client.send(q, R"({"a":1})");
  const auto first = client.poll(q);
  ASSERT_EQ(first.size(), 1u);
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(
      is_ok(client.post(q + "/fail", R"([{"id":")" + first[0].id
                                       + R"(","reason":"x","delay":0.01}])")));
    EXPECT_TRUE(wait_for([&] { return client.poll(q) == first; })) << i;
  }
}
