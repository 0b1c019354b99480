// Acknowledging and polling in one request, which EmoDB does not have.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

#include <set>

using namespace depositd::testing;

namespace {

class acks_and_polls : public emodb_doors {
protected:
  http_answer both(const std::string& body, const std::string& query = "") {
    return client.post(q + "/ackpoll?" + query, body);
  }
};

} // namespace

ON_BOTH_DOORS(acks_and_polls);

TEST_P(acks_and_polls, end_what_was_polled_and_claim_the_next) {
  const auto sent = numbered(9);
  client.send_all(q, sent);
  std::multiset<std::string> seen;
  std::vector<message> held;
  do {
    held = client.messages_in(both(ids_of(held), "limit=2&ttl=300"));
    for (const auto& x : held)
      seen.insert(x.payload);
    EXPECT_EQ(client.claims(q), static_cast<std::int64_t>(held.size()));
  } while (!held.empty());
  EXPECT_EQ(seen, std::multiset<std::string>(sent.begin(), sent.end()));
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(acks_and_polls, ten_for_half_a_minute_unless_something_else_is_said) {
  client.send_all(q, numbered(12));
  EXPECT_EQ(client.messages_in(both("[]")).size(), 10u);
  EXPECT_EQ(client.claims(q), 10);
}

TEST_P(acks_and_polls, an_outcome_may_stand_in_place_of_an_id) {
  client.send_all(q, numbered(1));
  const auto found = client.poll(q);
  ASSERT_EQ(found.size(), 1u);
  const auto x = both(R"([{"id":")" + found[0].id + R"(","document":"d"}])");
  EXPECT_TRUE(client.messages_in(x).empty());
  EXPECT_EQ(client.size(q), 0);
}

TEST_P(acks_and_polls, nothing_is_done_if_a_part_is_wrong) {
  client.send_all(q, numbered(2));
  const auto found = client.poll(q, "limit=1");
  const auto ids = ids_of(found);
  EXPECT_TRUE(is_illegal(both(ids, "ttl=0"), "ClaimTtl"));
  EXPECT_TRUE(is_illegal(both(ids, "ttl=3601"), "ClaimTtl"));
  EXPECT_TRUE(is_illegal(both(ids, "limit=0"), "Limit"));
  EXPECT_TRUE(is_illegal(both("[\"wrong\"]")));
  EXPECT_TRUE(is_bad_json(both("{}")));
  EXPECT_TRUE(is_empty_body(both("")));
  EXPECT_EQ(client.size(q), 2);
  EXPECT_EQ(client.claims(q), 1);
}
