// Cases X1 to X8 and X10: equal messages of the dedup queue. X9 is the suites
// that run on `dedupq_sent_twice`.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

#include <algorithm>

using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class dedup : public emodb_dedupq {
protected:
  const std::string m = R"({"m":1})";
};

} // namespace

TEST_F(dedup, X1_equal_messages_between_two_polls_are_one) {
  client.send(q, m);
  client.send(q, m);
  EXPECT_EQ(client.poll(q).size(), 1u);
  EXPECT_EQ(client.poll(q).size(), 0u);
  EXPECT_EQ(client.size(q), 1);
}

TEST_F(dedup, X2_a_message_sent_after_a_poll_is_another) {
  client.send(q, m);
  const auto first = client.poll(q);
  client.send(q, m);
  const auto second = client.poll(q);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(first[0].payload, m);
  EXPECT_EQ(second[0].payload, m);
  EXPECT_NE(first[0].id, second[0].id);
}

TEST_F(dedup, X3_the_ack_of_the_first_does_not_end_the_second) {
  client.send(q, m);
  const auto first = client.poll(q);
  client.send(q, m);
  client.ack(q, first);
  EXPECT_EQ(client.size(q), 1);
  const auto second = client.poll(q);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_NE(second, first);
  client.ack(q, first);
  EXPECT_EQ(client.size(q), 1);
  client.ack(q, second);
  EXPECT_EQ(client.size(q), 0);
}

TEST_F(dedup, X4_a_batch_sent_twice_is_polled_once) {
  client.send_all(q, numbered(10));
  client.send_all(q, numbered(10));
  EXPECT_EQ(payloads_of(client.poll(q, "ttl=300&limit=100")), numbered(10));
  EXPECT_EQ(client.poll(q).size(), 0u);
  EXPECT_EQ(client.size(q), 10);
}

TEST_F(dedup, X4_equal_messages_in_one_batch_are_one) {
  client.send_all(q, {m, m, "1", m});
  EXPECT_EQ(payloads_of(client.poll(q)), (std::vector<std::string>{"1", m}));
}

TEST_F(dedup, X5_peek_and_size_show_what_was_sent) {
  client.send(q, m);
  client.send(q, m);
  EXPECT_EQ(client.peek(q).size(), 2u);
  EXPECT_EQ(client.size(q), 2);
  EXPECT_EQ(client.poll(q).size(), 1u);
  EXPECT_EQ(client.peek(q).size(), 1u);
  EXPECT_EQ(client.size(q), 1);
}

TEST_F(dedup, X5_a_peek_does_not_keep_duplicates_apart) {
  client.send(q, m);
  client.peek(q);
  client.send(q, m);
  EXPECT_EQ(client.poll(q).size(), 1u);
  EXPECT_EQ(client.poll(q).size(), 0u);
}

TEST_F(dedup, X6_bytes_are_compared_but_not_white_space) {
  client.send(q, R"({"a":1,"b":2})");
  client.send(q, R"({"b":2,"a":1})");
  EXPECT_EQ(client.poll(q).size(), 2u);
  const auto numbers = fresh();
  client.send(numbers, "1");
  client.send(numbers, "1.0");
  EXPECT_EQ(client.poll(numbers).size(), 2u);
  const auto spaces = fresh();
  client.send(spaces, R"({"a":1})");
  client.send(spaces, "{ \"a\" : 1 }");
  client.send(spaces, "\n{\t\"a\":\r\n1}\n");
  EXPECT_EQ(client.poll(spaces).size(), 1u);
}

TEST_F(dedup, X6_white_space_inside_strings_counts) {
  client.send(q, R"({"a":"x y"})");
  client.send(q, R"({"a":"x  y"})");
  client.send(q, R"({"a":"\" }"})");
  client.send(q, R"({"a":"\"}"})");
  EXPECT_EQ(client.poll(q).size(), 4u);
}

TEST_F(dedup, X6_how_a_character_is_written_does_not_matter) {
  for (const auto& [one, other] :
       std::vector<std::pair<std::string, std::string>>{
         {R"("\u0041")", R"("A")"},
         {R"("a\/b")", R"("a/b")"},
         {R"("\u00e4\ud83d\ude00")", "\"\xc3\xa4\xf0\x9f\x98\x80\""},
         {R"({"\u0061":"\u000a"})", R"({"a":"\n"})"}}) {
    const auto queue = fresh();
    client.send(queue, one);
    client.send(queue, other);
    EXPECT_EQ(client.poll(queue).size(), 1u) << one;
  }
}

TEST_F(dedup, X7_sizes_lie_between_the_distinct_and_the_sent) {
  const auto sent = numbered(101);
  client.send_all(q, sent);
  client.send_all(q, sent);
  auto peeked = payloads_of(client.peek(q, 202));
  peeked.erase(std::unique(peeked.begin(), peeked.end()), peeked.end());
  EXPECT_EQ(peeked, sent);
  for (const char* path : {"/size", "/size?limit=1500"}) {
    const auto seen = std::stoll(client.get(q + path).body);
    EXPECT_GE(seen, 101) << path;
    EXPECT_LE(seen, 202) << path;
  }
  EXPECT_EQ(client.poll(q, "ttl=300&limit=500").size(), 101u);
  EXPECT_EQ(client.size(q), 101);
  EXPECT_TRUE(says(client.get(q + "/size?limit=1500"), "101"));
}

TEST_F(dedup, X8_after_the_claim_ends_both_copies_are_there) {
  client.send(q, m);
  EXPECT_EQ(client.poll(q, "ttl=1").size(), 1u);
  client.send(q, m);
  EXPECT_TRUE(wait_for([&] { return client.claims(q) == 0; }));
  const auto found = client.poll(q, "ttl=300");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].id, found[1].id);
}

TEST_F(dedup, X8_a_released_message_stays_apart_from_later_ones) {
  client.send(q, m);
  client.poll(q);
  EXPECT_TRUE(is_ok(client.post(q + "/unclaimall")));
  client.send(q, m);
  client.send(q, m);
  EXPECT_EQ(client.poll(q).size(), 2u);
}

TEST_F(dedup, X10_a_plain_queue_of_the_same_name_is_another_queue) {
  emodb_client plain{shared_engine().http_port(), "/queue/1"};
  client.send_all(q, {"1", "1"});
  EXPECT_EQ(plain.size(q), 0);
  plain.send_all(q, {"2", "2", "2"});
  const auto mine = client.poll(q);
  EXPECT_EQ(payloads_of(mine), std::vector<std::string>{"1"});
  EXPECT_EQ(payloads_of(plain.poll(q)),
            (std::vector<std::string>{"2", "2", "2"}));
  EXPECT_TRUE(is_illegal_exactly(plain.post(q + "/ack", ids_of(mine)),
                                 "Invalid event ID checksum."));
  EXPECT_TRUE(is_ok(plain.remove(q)));
  EXPECT_EQ(client.size(q), 1);
}

TEST_F(dedup, equal_messages_of_two_keys_are_one) {
  auto& engine = shared_engine();
  const auto key = "text-of-the-other-" + q;
  engine.add_key("other-" + q, key, {"queue|*|" + q});
  emodb_client other{engine.http_port(), client.base(), key};
  client.send(q, m);
  other.send(q, m);
  EXPECT_EQ(other.poll(q).size(), 1u);
  EXPECT_EQ(client.poll(q).size(), 0u);
}
