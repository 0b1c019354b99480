// Cases A1 to A10: the end of messages. On the dedup queue also with every
// batch sent twice (X9).

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class acks : public emodb_doors {};

const std::string wrong_queue = "Invalid event ID checksum.";
const std::string no_id = "Invalid event ID.";

} // namespace

ON_BOTH_DOORS_AND_TWICE(acks);

TEST_P(acks, A1_acked_messages_are_gone) {
  send_batch(q, numbered(10));
  client.ack(q, client.poll(q, "ttl=300&limit=5"));
  EXPECT_TRUE(stand_for(client.peek(q, 15).size(), 5));
  EXPECT_TRUE(wait_for([&] { return client.claims(q) == 0; }));
}

TEST_P(acks, A2_every_message_is_seen_once_until_none_is_left) {
  const auto sent = numbered(10);
  send_batch(q, sent);
  auto seen = client.poll(q, "ttl=300&limit=5");
  client.ack(q, seen);
  const auto rest = client.poll(q, "ttl=300&limit=15");
  EXPECT_EQ(rest.size(), 5u);
  EXPECT_EQ(client.size(q), 5);
  client.ack(q, rest);
  seen.insert(seen.end(), rest.begin(), rest.end());
  EXPECT_EQ(payloads_of(seen), sent);
  EXPECT_EQ(client.size(q), 0);
  EXPECT_EQ(client.poll(q).size(), 0u);
  EXPECT_EQ(client.peek(q).size(), 0u);
}

TEST_P(acks, A3_an_ack_may_be_repeated_or_empty) {
  send_batch(q, numbered(3));
  const auto found = client.poll(q, "limit=2");
  client.ack(q, found);
  client.ack(q, found);
  client.ack(q, {});
  EXPECT_EQ(client.poll(q).size(), 1u);
}

TEST_P(acks, A3_an_id_may_be_there_twice_in_one_ack) {
  send_batch(q, numbered(2));
  const auto found = client.poll(q, "limit=1");
  ASSERT_EQ(found.size(), 1u);
  client.ack(q, {found[0], found[0]});
  EXPECT_EQ(client.poll(q).size(), 1u);
}

TEST_P(acks, A4_a_message_that_was_only_peeked_may_be_acked) {
  client.send_all(q, numbered(2));
  auto peeked = client.peek(q);
  ASSERT_EQ(peeked.size(), 2u);
  peeked.resize(1);
  client.ack(q, peeked);
  EXPECT_EQ(client.size(q), 1);
  const auto left = client.poll(q);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_NE(left[0], peeked[0]);
}

TEST_P(acks, A5_an_id_of_another_queue_is_an_argument_error) {
  const auto other = fresh();
  send_batch(q, numbered(1));
  send_batch(other, numbered(1));
  const auto found = client.poll(q);
  EXPECT_TRUE(is_illegal_exactly(client.post(other + "/ack", ids_of(found)),
                                 wrong_queue));
  EXPECT_EQ(client.poll(other).size(), 1u);
  EXPECT_EQ(client.claims(q), 1);
}

TEST_P(acks, A6_what_is_no_id_is_an_argument_error) {
  for (const auto& id :
       {std::string(39, 'a'), std::string(41, 'a'), std::string{},
        std::string{"wrong_event_id"}, std::string(40, 'x')})
    EXPECT_TRUE(
      is_illegal(client.post(q + "/ack", "[\"" + id + "\"]"), "Invalid event"))
      << id;
  EXPECT_TRUE(is_illegal_exactly(
    client.post(q + "/ack", "[\"" + std::string(39, 'a') + "\"]"), no_id));
  EXPECT_TRUE(is_illegal(client.post(q + "/ack", "[null]")));
}

TEST_P(acks, A6_an_id_with_one_digit_changed_is_an_argument_error) {
  send_batch(q, numbered(1));
  const auto found = client.poll(q);
  ASSERT_EQ(found.size(), 1u);
  for (const std::size_t at : {0u, 15u, 25u, 39u}) {
    auto changed = found;
    changed[0].id.at(at) = changed[0].id[at] == '1' ? '2' : '1';
    EXPECT_TRUE(
      is_illegal(client.post(q + "/ack", ids_of(changed)), "Invalid event"))
      << at;
  }
  EXPECT_EQ(client.claims(q), 1);
}

TEST_P(acks, A7_one_bad_id_refuses_them_all) {
  send_batch(q, numbered(2));
  auto found = client.poll(q);
  ASSERT_EQ(found.size(), 2u);
  found[1].id = "wrong_event_id";
  EXPECT_TRUE(is_illegal(client.post(q + "/ack", ids_of(found))));
  EXPECT_EQ(client.size(q), 2);
  EXPECT_EQ(client.claims(q), 2);
  found[1].id.clear();
  EXPECT_TRUE(is_illegal(client.post(q + "/ack", ids_of(found))));
  EXPECT_EQ(client.size(q), 2);
}

TEST_P(acks, A8_an_empty_body_is_422) {
  EXPECT_TRUE(is_empty_body(client.post(q + "/ack", "")));
  EXPECT_TRUE(is_empty_body(client.post(q + "/ack", "null")));
}

TEST_P(acks, A9_ids_are_an_array_of_strings) {
  for (const char* text : {R"({"a":1})", R"("x")", R"([["x"]])", "[", "{bad"})
    EXPECT_TRUE(is_bad_json(client.post(q + "/ack", text))) << text;
}

TEST_P(acks, A10_a_late_ack_ends_a_message_that_another_has_now) {
  send_batch(q, numbered(1));
  const auto first = client.poll(q, "ttl=1");
  ASSERT_EQ(first.size(), 1u);
  std::vector<message> second;
  EXPECT_TRUE(wait_for([&] {
    second = client.poll(q, "ttl=300");
    return !second.empty();
  }));
  EXPECT_EQ(second, first);
  client.ack(q, first);
  EXPECT_EQ(client.size(q), 0);
  EXPECT_EQ(client.claims(q), 0);
  client.ack(q, second);
  EXPECT_TRUE(is_ok(client.post(q + "/unclaimall")));
  EXPECT_EQ(client.poll(q).size(), 0u);
}
