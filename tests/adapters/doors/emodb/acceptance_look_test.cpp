// Cases K1 to K4, Z1 to Z5, D1 to D3: looking at queues, and emptying them.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

#include <algorithm>

using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class peeks : public emodb_doors {};
class sizes : public emodb_doors {};
class purges : public emodb_doors {};

} // namespace

ON_BOTH_DOORS(peeks);
ON_BOTH_DOORS(sizes);
ON_BOTH_DOORS_AND_TWICE(purges);

// -- peek ---------------------------------------------------------------------

TEST_P(peeks, K1_there_is_nothing_in_an_unknown_queue) {
  EXPECT_TRUE(says(client.get(q + "/peek"), "[]"));
  EXPECT_TRUE(says(client.get(q + "/peek?limit=10&partitioned=false"), "[]"));
}

TEST_P(peeks, K2_as_many_as_asked_for_and_ten_unless_said_otherwise) {
  client.send_all(q, numbered(11));
  EXPECT_EQ(client.peek(q, 5).size(), 5u);
  EXPECT_EQ(client.peek(q, 15).size(), 11u);
  EXPECT_EQ(client.get(q + "/peek").document().size(), 10u);
  EXPECT_EQ(client.get(q + "/peek?limit=").document().size(), 10u);
  EXPECT_EQ(client.claims(q), 0);
}

TEST_P(peeks, K3_claims_do_not_matter_and_are_not_touched) {
  client.send_all(q, numbered(10));
  const auto polled = client.poll(q, "ttl=300&limit=7");
  const auto found = client.peek(q, 15);
  EXPECT_EQ(payloads_of(found), numbered(10));
  for (const auto& x : polled)
    EXPECT_NE(std::find(found.begin(), found.end(), x), found.end()) << x.id;
  EXPECT_EQ(client.claims(q), 7);
  EXPECT_EQ(client.poll(q).size(), 3u);
}

TEST_P(peeks, K4_the_limit_is_one_to_a_thousand) {
  EXPECT_TRUE(is_illegal_exactly(client.get(q + "/peek?limit=0"),
                                 "Limit must be >0"));
  EXPECT_TRUE(is_illegal_exactly(client.get(q + "/peek?limit=-7"),
                                 "Limit must be >0"));
  EXPECT_TRUE(is_json(client.get(q + "/peek?limit=1000")));
  EXPECT_TRUE(is_illegal_exactly(client.get(q + "/peek?limit=1001"),
                                 "Limit must be <=1000"));
  EXPECT_TRUE(is_unreadable(client.get(q + "/peek?limit=x"),
                            "\"x\" is not a number."));
}

TEST_P(peeks, what_was_just_sent_or_acked_is_seen_at_once) {
  for (int i = 0; i < 20; ++i) {
    client.send(q, std::to_string(i));
    const auto found = client.peek(q);
    ASSERT_EQ(found.size(), 1u) << i;
    EXPECT_EQ(found[0].payload, std::to_string(i));
    client.ack(q, found);
    ASSERT_EQ(client.peek(q).size(), 0u) << i;
  }
}

// -- size, claimcount ---------------------------------------------------------

TEST_P(sizes, Z1_nothing_is_in_an_unknown_queue) {
  for (const char* path :
       {"/size", "/claimcount", "/size?limit=5", "/uncached_size",
        "/claimcount?partitioned=false", "/size?partitioned=false"})
    EXPECT_TRUE(says(client.get(q + path), "0")) << path;
}

TEST_P(sizes, Z2_the_size_is_exact_up_to_the_limit) {
  client.send_all(q, numbered(1001));
  EXPECT_EQ(client.size(q), 1001);
  EXPECT_GE(std::stoll(client.get(q + "/size?limit=1").body), 1);
  EXPECT_TRUE(says(client.get(q + "/size?limit=1500"), "1001"));
  EXPECT_TRUE(says(client.get(q + "/uncached_size"), "1001"));
}

TEST_P(sizes, Z3_the_limit_is_a_long_above_zero) {
  EXPECT_TRUE(is_illegal_exactly(client.get(q + "/size?limit=0"),
                                 "Limit must be >0"));
  EXPECT_TRUE(is_illegal_exactly(client.get(q + "/size?limit=-5"),
                                 "Limit must be >0"));
  EXPECT_TRUE(is_unreadable(client.get(q + "/size?limit=x"),
                            "\"x\" is not a number."));
  EXPECT_TRUE(is_unreadable(client.get(q + "/size?limit=9223372036854775808"),
                            "\"9223372036854775808\" is not a number."));
  client.send_all(q, numbered(3));
  EXPECT_TRUE(says(client.get(q + "/size?limit=9223372036854775807"), "3"));
}

TEST_P(sizes, Z4_claimed_messages_count) {
  client.send_all(q, numbered(10));
  client.poll(q, "ttl=300&limit=4");
  EXPECT_EQ(client.size(q), 10);
  EXPECT_EQ(client.claims(q), 4);
}

TEST_P(sizes, Z5_acked_messages_do_not_count_at_once) {
  client.send_all(q, numbered(10));
  client.ack(q, client.poll(q, "ttl=300&limit=4"));
  EXPECT_EQ(client.size(q), 6);
  EXPECT_EQ(client.claims(q), 0);
}

// -- purge --------------------------------------------------------------------

TEST_P(purges, D1_messages_and_claims_are_gone) {
  send_batch(q, numbered(10));
  client.poll(q, "ttl=300&limit=4");
  EXPECT_TRUE(is_ok(client.remove(q)));
  EXPECT_EQ(client.size(q), 0);
  EXPECT_EQ(client.claims(q), 0);
  EXPECT_EQ(client.peek(q).size(), 0u);
  EXPECT_TRUE(says(client.get(q + "/poll"), "[]"));
  send_batch(q, numbered(3));
  EXPECT_EQ(payloads_of(client.poll(q)), numbered(3));
}

TEST_P(purges, D1_never_of_deposits) {
  const auto deposits = client.base() == "/queue/1";
  const auto answer = client.remove("metadata");
  EXPECT_EQ(deposits, static_cast<bool>(is_illegal(answer, "Queue metadata")));
  EXPECT_EQ(!deposits, static_cast<bool>(is_ok(answer)));
}

TEST_P(purges, D2_an_unknown_queue_may_be_purged) {
  EXPECT_TRUE(is_ok(client.remove(q)));
  EXPECT_TRUE(is_ok(client.remove(q + "?partitioned=false")));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(purges, D3_a_purged_message_may_be_acked) {
  send_batch(q, numbered(3));
  const auto found = client.poll(q);
  EXPECT_TRUE(is_ok(client.remove(q)));
  client.ack(q, found);
  client.renew(q, 0, found);
  EXPECT_EQ(client.size(q), 0);
  EXPECT_EQ(client.poll(q).size(), 0u);
}
