// Cases V1 to V10: messages that go from one queue to another. On the dedup
// queue also with every batch sent twice (X9).

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

using namespace depositd::testing;

namespace {

class moves : public emodb_doors {
protected:
  void move_all() {
    client.await_move(client.move(q, to));
  }

  const std::string to = fresh();
};

class move_requests : public emodb_doors {
protected:
  const std::string to = fresh();
};

} // namespace

ON_BOTH_DOORS_AND_TWICE(moves);
ON_BOTH_DOORS(move_requests);

TEST_P(moves, V1_a_queue_with_nothing_can_be_moved) {
  move_all();
  EXPECT_EQ(client.size(to), 0);
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(moves, V2_everything_is_at_the_destination) {
  send_batch(q, numbered(10));
  const auto reference = client.move(q, to);
  client.await_move(reference);
  EXPECT_EQ(client.size(q), 0);
  EXPECT_EQ(client.poll(q).size(), 0u);
  EXPECT_EQ(payloads_of(client.poll(to, "ttl=300&limit=100")), numbered(10));
  EXPECT_TRUE(says(client.get("_move/" + reference),
                   R"({"from":")" + q + R"(","to":")" + to
                     + R"(","status":"COMPLETE"})"));
}

TEST_P(moves, V3_claims_are_not_carried) {
  send_batch(q, numbered(10));
  EXPECT_EQ(client.poll(q, "ttl=300&limit=10").size(), 10u);
  move_all();
  EXPECT_EQ(client.claims(to), 0);
  EXPECT_EQ(client.claims(q), 0);
  EXPECT_EQ(client.size(to), 10);
  EXPECT_EQ(payloads_of(client.poll(to)), numbered(10));
}

TEST_P(moves, V4_acked_messages_are_not_moved) {
  send_batch(q, numbered(10));
  client.ack(q, client.poll(q));
  move_all();
  EXPECT_EQ(client.size(to), 0);
  EXPECT_EQ(client.poll(to).size(), 0u);
}

TEST_P(moves, V5_an_id_of_the_source_is_none_of_the_destination) {
  send_batch(q, numbered(2));
  const auto found = client.poll(q);
  move_all();
  EXPECT_TRUE(is_illegal_exactly(client.post(to + "/ack", ids_of(found)),
                                 "Invalid event ID checksum."));
  client.ack(q, found);
  EXPECT_EQ(client.poll(to).size(), 2u);
}

TEST_P(moves, messages_of_the_destination_stay) {
  send_batch(q, numbered(5));
  client.send_all(to, numbered(5, 100));
  move_all();
  EXPECT_EQ(client.poll(to).size(), 10u);
  client.send(q, "1");
  EXPECT_EQ(client.size(q), 1);
}

TEST_P(move_requests, V6_both_names_are_needed_and_legal_and_different) {
  EXPECT_TRUE(
    is_illegal_exactly(client.post("_move?from=" + q + "&to=" + q),
                       "cannot move queue to itself"));
  EXPECT_TRUE(is_illegal_exactly(client.post("_move?to=" + to),
                                 "from is required"));
  EXPECT_TRUE(is_illegal_exactly(client.post("_move?from=&to=" + to),
                                 "from is required"));
  EXPECT_TRUE(is_illegal_exactly(client.post("_move?from=" + q),
                                 "to is required"));
  EXPECT_TRUE(is_illegal_exactly(client.post("_move?from=" + q + "&to="),
                                 "to is required"));
  EXPECT_TRUE(is_illegal(client.post("_move?from=" + q + "&to=BAD"),
                         "Queue name must be"));
  EXPECT_TRUE(is_illegal(client.post("_move?from=BAD&to=" + to),
                         "Queue name must be"));
}

TEST_P(move_requests, V7_nothing_is_known_of_other_references) {
  for (const std::string reference : {"nope", "poll", "1", "a.b"})
    EXPECT_TRUE(is_unknown_move(client.get("_move/" + reference), reference));
}

TEST_P(move_requests, V7_a_reference_that_is_no_text_is_told_as_one) {
  EXPECT_TRUE(is_unknown_move(client.get("_move/a%FFb"), "a\xEF\xBF\xBD" "b"));
}

TEST_P(move_requests, V8_a_reference_belongs_to_one_door) {
  const auto reference = client.move(q, to);
  const bool plain = GetParam() == flavour::queue;
  emodb_client other{shared_engine().http_port(),
                     plain ? "/dedupq/1" : "/queue/1"};
  EXPECT_TRUE(is_unknown_move(other.get("_move/" + reference), reference));
  client.await_move(reference);
}

TEST_P(move_requests, V9_a_move_is_known_from_the_start) {
  client.send_all(q, numbered(200));
  for (int i = 0; i < 5; ++i) {
    const auto status = client.status_of(client.move(q, to));
    EXPECT_TRUE(status == "IN_PROGRESS" || status == "COMPLETE") << status;
  }
}

TEST_P(move_requests, V10_needs_poll_at_the_source_and_post_at_the_target) {
  auto& engine = shared_engine();
  const auto key = "text-of-the-mover-" + q;
  engine.add_key("mover-" + q, key,
                 {"queue|poll|" + q, "queue|post|" + to});
  emodb_client mover{engine.http_port(), client.base(), key};
  client.send_all(q, numbered(2));
  EXPECT_TRUE(is_forbidden(mover.post("_move?from=" + to + "&to=" + q)));
  EXPECT_TRUE(is_forbidden(mover.post("_move?from=" + q + "&to=" + fresh())));
  EXPECT_EQ(client.size(q), 2);
  const auto reference = mover.move(q, to);
  mover.await_move(reference);
  EXPECT_EQ(client.size(to), 2);
}

TEST_P(move_requests, a_thousand_claimed_and_waiting_messages_arrive_once) {
  const auto sent = numbered(1000);
  client.send_all(q, sent);
  EXPECT_EQ(client.poll(q, "ttl=300&limit=400").size(), 400u);
  client.await_move(client.move(q, to));
  EXPECT_EQ(client.size(q), 0);
  EXPECT_EQ(client.size(to), 1000);
  EXPECT_EQ(payloads_of(client.poll(to, "ttl=300&limit=1000")), sent);
}

TEST_P(move_requests, moves_there_and_back_at_once_lose_nothing) {
  client.send_all(q, numbered(100));
  client.send_all(to, numbered(100, 500));
  std::vector<std::string> references;
  for (int i = 0; i < 6; ++i)
    references.push_back(i % 2 == 0 ? client.move(q, to) : client.move(to, q));
  for (const auto& x : references)
    client.await_move(x);
  auto found = client.poll(q);
  for (auto& x : client.poll(to))
    found.push_back(std::move(x));
  auto all = numbered(100);
  for (auto& x : numbered(100, 500))
    all.push_back(std::move(x));
  EXPECT_EQ(payloads_of(found), all);
}

TEST_P(move_requests, messages_sent_during_a_move_are_in_one_of_the_queues) {
  client.send_all(q, numbered(500));
  const auto reference = client.move(q, to);
  for (const auto& x : numbered(50, 1000))
    client.send(q, x);
  client.await_move(reference);
  auto found = client.poll(q);
  for (auto& x : client.poll(to))
    found.push_back(std::move(x));
  auto all = numbered(500);
  for (auto& x : numbered(50, 1000))
    all.push_back(std::move(x));
  EXPECT_EQ(payloads_of(found), all);
}

TEST_P(moves, a_moved_message_equal_to_one_that_waits_is_a_duplicate) {
  client.send(to, "1");
  send_batch(q, {"1", "2"});
  move_all();
  EXPECT_EQ(client.poll(to).size(), GetParam() == flavour::queue ? 3u : 2u);
}
