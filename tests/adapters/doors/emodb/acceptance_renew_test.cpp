// Cases R1 to R8, U1 and U2: claims that last longer or end at once. On the
// dedup queue also with every batch sent twice (X9).

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class renewals : public emodb_doors {};
class releases : public emodb_doors {};

} // namespace

ON_BOTH_DOORS_AND_TWICE(renewals);
ON_BOTH_DOORS_AND_TWICE(releases);

TEST_P(renewals, R1_renewed_claims_last_and_others_end) {
  // Only what outlives this test is counted, so that nothing depends on how
  // fast it is.
  send_batch(q, numbered(9));
  const auto first = client.poll(q, "ttl=1&limit=3");
  ASSERT_EQ(first.size(), 3u);
  client.renew(q, 300, first);
  const auto second = client.poll(q, "ttl=300&limit=3");
  ASSERT_EQ(second.size(), 3u);
  const auto third = client.poll(q, "ttl=1&limit=3");
  ASSERT_EQ(third.size(), 3u);
  EXPECT_TRUE(wait_for([&] { return client.claims(q) == 6; }));
  outlive(1300ms);
  EXPECT_EQ(client.claims(q), 6);
  EXPECT_EQ(payloads_of(client.poll(q)), payloads_of(third));
}

TEST_P(renewals, R2_a_renewal_never_shortens) {
  send_batch(q, numbered(2));
  const auto found = client.poll(q, "ttl=60");
  client.renew(q, 1, found);
  outlive(1300ms);
  EXPECT_EQ(client.claims(q), 2);
  EXPECT_EQ(client.poll(q).size(), 0u);
}

TEST_P(renewals, R3_thirty_seconds_unless_said_otherwise) {
  send_batch(q, numbered(2));
  const auto found = client.poll(q, "ttl=1");
  EXPECT_TRUE(is_ok(client.post(q + "/renew", ids_of(found))));
  EXPECT_TRUE(is_ok(client.post(q + "/renew?ttl=", ids_of(found))));
  outlive(1300ms);
  EXPECT_EQ(client.claims(q), 2);
}

TEST_P(renewals, R4_a_ttl_of_zero_gives_the_message_back) {
  send_batch(q, numbered(2));
  const auto found = client.poll(q, "ttl=300");
  ASSERT_EQ(found.size(), 2u);
  client.renew(q, 0, {found[0]});
  EXPECT_EQ(client.claims(q), 1);
  EXPECT_EQ(client.poll(q), std::vector<message>{found[0]});
}

TEST_P(renewals, R5_the_ttl_is_a_number_up_to_an_hour) {
  EXPECT_TRUE(is_illegal_exactly(client.post(q + "/renew?ttl=3601", "[]"),
                                 "ClaimTtl must be <=1 hour"));
  EXPECT_TRUE(is_illegal_exactly(client.post(q + "/renew?ttl=-1", "[]"),
                                 "ClaimTtl must be >=0"));
  EXPECT_TRUE(is_unreadable(client.post(q + "/renew?ttl=abc", "[]"),
                            "\"abc\" is not a number."));
  EXPECT_TRUE(is_ok(client.post(q + "/renew?ttl=3600", "[]")));
}

TEST_P(renewals, R6_nothing_may_be_renewed) {
  send_batch(q, numbered(2));
  client.renew(q, 30, {});
  EXPECT_EQ(client.claims(q), 0);
  EXPECT_EQ(client.poll(q).size(), 2u);
}

TEST_P(renewals, R7_bad_ids_are_argument_errors_and_renew_nothing) {
  const auto other = fresh();
  send_batch(q, numbered(2));
  send_batch(other, numbered(2));
  const auto mine = client.poll(q, "ttl=300&limit=1");
  const auto others = client.poll(other, "ttl=300&limit=1");
  ASSERT_EQ(mine.size() + others.size(), 2u);
  EXPECT_TRUE(is_illegal_exactly(client.post(q + "/renew", ids_of(others)),
                                 "Invalid event ID checksum."));
  for (const std::string id : {"", "wrong_event_id", "aaaa"})
    EXPECT_TRUE(is_illegal(client.post(q + "/renew", "[\"" + id + "\"]"),
                           "Invalid event"))
      << id;
  EXPECT_TRUE(is_illegal(client.post(q + "/renew", "[null]")));
  EXPECT_TRUE(
    is_illegal(client.post(q + "/renew?ttl=0", ids_of({mine[0], others[0]}))));
  EXPECT_EQ(client.claims(q), 1);
  EXPECT_TRUE(is_empty_body(client.post(q + "/renew", "")));
  EXPECT_TRUE(is_bad_json(client.post(q + "/renew", R"({"a":1})")));
}

TEST_P(renewals, R8_an_ended_claim_is_made_anew) {
  send_batch(q, numbered(2));
  const auto found = client.poll(q, "ttl=1");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(wait_for([&] { return client.claims(q) == 0; }));
  client.renew(q, 300, {found[0]});
  EXPECT_EQ(client.claims(q), 1);
  EXPECT_EQ(client.poll(q), std::vector<message>{found[1]});
}

TEST_P(renewals, R8_a_claim_that_never_was_is_made) {
  client.send_all(q, numbered(2));
  const auto peeked = client.peek(q);
  ASSERT_EQ(peeked.size(), 2u);
  client.renew(q, 300, {peeked[0]});
  EXPECT_EQ(client.poll(q), std::vector<message>{peeked[1]});
}

TEST_P(renewals, an_acked_message_does_not_come_back_by_renewal) {
  send_batch(q, numbered(1));
  const auto found = client.poll(q);
  client.ack(q, found);
  client.renew(q, 0, found);
  client.renew(q, 1, found);
  client.renew(q, 0, found);
  EXPECT_EQ(client.size(q), 0);
  EXPECT_EQ(client.poll(q).size(), 0u);
}

// -- unclaimall ---------------------------------------------------------------

TEST_P(releases, U1_all_claims_end_and_all_messages_stay) {
  send_batch(q, numbered(10));
  EXPECT_EQ(client.poll(q, "ttl=300&limit=2").size(), 2u);
  EXPECT_EQ(client.claims(q), 2);
  EXPECT_EQ(client.poll(q, "ttl=300&limit=5").size(), 5u);
  EXPECT_EQ(client.claims(q), 7);
  EXPECT_TRUE(is_ok(client.post(q + "/unclaimall")));
  EXPECT_EQ(client.claims(q), 0);
  EXPECT_TRUE(stand_for(static_cast<std::size_t>(client.size(q)), 10));
  EXPECT_EQ(payloads_of(client.poll(q, "ttl=300&limit=10")), numbered(10));
}

TEST_P(releases, U2_whatever_is_in_the_body) {
  send_batch(q, numbered(1));
  client.poll(q);
  EXPECT_TRUE(is_ok(client.call("POST", q + "/unclaimall",
                                {"Content-Type: text/plain"}, "{junk")));
  EXPECT_EQ(client.claims(q), 0);
  EXPECT_TRUE(is_ok(client.post(q + "/unclaimall?partitioned=false")));
  EXPECT_TRUE(is_ok(client.post(fresh() + "/unclaimall")));
}
