// Cases P1 to P15: what a poll hands out, to whom and for how long. On the
// dedup queue also with every batch sent twice (X9).

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include <ctime>

using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class polls : public emodb_doors {
protected:
  /// When the claims of the queue end, seconds from now, as operators see it.
  std::vector<double> claims_left() {
    const auto name = GetParam() == flavour::queue ? q : "dedupq/" + q;
    const auto found =
      json::parse(shared_engine().ctl({"queue", "peek", name, "--json"}));
    std::vector<double> out;
    for (const auto& x : found.at("items"))
      if (x.at("deadline_at").is_string()) {
        std::tm at{};
        const auto text = x["deadline_at"].get<std::string>();
        strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &at);
        out.push_back(std::difftime(timegm(&at), std::time(nullptr)));
      }
    return out;
  }
};

class poll_parameters : public emodb_doors {};

std::vector<std::string> distinct(std::vector<std::string> x) {
  std::sort(x.begin(), x.end());
  x.erase(std::unique(x.begin(), x.end()), x.end());
  return x;
}

} // namespace

ON_BOTH_DOORS_AND_TWICE(polls);
ON_BOTH_DOORS(poll_parameters);

TEST_P(polls, P1_a_queue_that_was_never_used_has_nothing) {
  EXPECT_TRUE(says(client.get(q + "/poll"), "[]"));
  EXPECT_TRUE(
    says(client.get(q + "/poll?ttl=30&limit=10&partitioned=false"), "[]"));
}

TEST_P(polls, P2_ten_messages_for_thirty_seconds_unless_said_otherwise) {
  send_batch(q, numbered(12));
  EXPECT_EQ(client.poll(q, "").size(), 10u);
  EXPECT_EQ(client.claims(q), 10);
  const auto left = claims_left();
  ASSERT_FALSE(left.empty());
  for (const auto x : left) {
    EXPECT_GT(x, 20);
    EXPECT_LT(x, 32);
  }
}

TEST_P(polls, P3_a_claim_ends_after_its_ttl_and_not_before) {
  send_batch(q, numbered(10));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(client.poll(q, "ttl=1&limit=1").size(), 1u);
  // On a busy machine the claim may have ended by then.
  const auto claims = client.claims(q);
  if (std::chrono::steady_clock::now() - before < 950ms) {
    EXPECT_EQ(claims, 1);
  }
  EXPECT_TRUE(wait_for([&] { return client.claims(q) == 0; }));
  EXPECT_GE(std::chrono::steady_clock::now() - before, 950ms);
  EXPECT_TRUE(stand_for(client.peek(q, 25).size(), 10));
  EXPECT_EQ(distinct(payloads_of(client.peek(q, 25))), numbered(10));
}

TEST_P(polls, P4_no_more_than_the_limit) {
  const auto sent = numbered(10);
  send_batch(q, sent);
  const auto found = payloads_of(client.poll(q, "ttl=300&limit=5"));
  EXPECT_EQ(distinct(found).size(), 5u);
  EXPECT_TRUE(
    std::includes(sent.begin(), sent.end(), found.begin(), found.end()));
}

TEST_P(polls, P5_claimed_messages_are_not_handed_out_again) {
  send_batch(q, numbered(10));
  EXPECT_EQ(client.poll(q, "ttl=300&limit=10").size(), 10u);
  EXPECT_TRUE(says(client.get(q + "/poll"), "[]"));
  EXPECT_EQ(client.claims(q), 10);
}

TEST_P(polls, P6_a_message_without_ack_returns_under_the_same_id) {
  send_batch(q, numbered(3));
  auto first = client.poll(q, "ttl=1&limit=10");
  ASSERT_EQ(first.size(), 3u);
  std::vector<message> again;
  EXPECT_TRUE(wait_for([&] {
    for (auto& x : client.poll(q, "ttl=300&limit=10"))
      again.push_back(std::move(x));
    return again.size() >= 3;
  }));
  const auto by_id = [](const message& a, const message& b) {
    return a.id < b.id;
  };
  std::sort(first.begin(), first.end(), by_id);
  std::sort(again.begin(), again.end(), by_id);
  EXPECT_EQ(again, first);
}

TEST_P(polls, P7_a_ttl_of_zero_claims_nothing) {
  send_batch(q, numbered(3));
  const auto first = client.poll(q, "ttl=0&limit=10");
  EXPECT_EQ(client.claims(q), 0);
  const auto second = client.poll(q, "ttl=0&limit=10");
  EXPECT_EQ(payloads_of(first), numbered(3));
  EXPECT_EQ(first, second);
  EXPECT_EQ(client.claims(q), 0);
  EXPECT_EQ(client.poll(q, "ttl=300&limit=10").size(), 3u);
}

TEST_P(poll_parameters, P8_the_limit_is_at_least_one) {
  for (const char* limit : {"0", "-1", "-2147483648"})
    EXPECT_TRUE(is_illegal_exactly(client.get(q + "/poll?limit=" + limit),
                                   "Limit must be >0"))
      << limit;
}

TEST_P(poll_parameters, P9_the_limit_is_at_most_a_thousand) {
  client.send_all(q, numbered(1005));
  EXPECT_EQ(client.poll(q, "limit=1000").size(), 1000u);
  EXPECT_TRUE(is_illegal_exactly(client.get(q + "/poll?limit=1001"),
                                 "Limit must be <=1000"));
}

TEST_P(poll_parameters, P10_the_ttl_is_at_most_an_hour) {
  EXPECT_TRUE(is_json(client.get(q + "/poll?ttl=3600")));
  EXPECT_TRUE(is_illegal_exactly(client.get(q + "/poll?ttl=3601"),
                                 "ClaimTtl must be <=1 hour"));
  EXPECT_TRUE(
    is_illegal_exactly(client.get(q + "/poll?ttl=-1"), "ClaimTtl must be >=0"));
}

TEST_P(poll_parameters, P11_what_is_no_number_is_named) {
  for (const std::string name : {"ttl=", "limit="})
    for (const std::string value :
         {"abc", "1.5", "99999999999", "2147483648", "0x10", "1e3", "-"})
      EXPECT_TRUE(is_unreadable(client.get(q + "/poll?" + name + value),
                                '"' + value + "\" is not a number."))
        << name << value;
  EXPECT_TRUE(is_unreadable(client.get(q + "/poll?ttl=abc&ttl=1"),
                            "\"abc\" is not a number."));
  EXPECT_TRUE(is_unreadable(client.get(q + "/poll?ttl=a%20b"),
                            "\"a b\" is not a number."));
}

TEST_P(poll_parameters, P12_an_empty_value_is_the_default) {
  EXPECT_TRUE(says(client.get(q + "/poll?ttl=&limit=&partitioned="), "[]"));
  EXPECT_TRUE(says(client.get(q + "/poll?ttl&limit"), "[]"));
}

TEST_P(poll_parameters, P12_a_plus_sign_is_fine_and_the_first_value_counts) {
  client.send_all(q, numbered(5));
  EXPECT_EQ(client.poll(q, "ttl=%2B5&limit=%2B2&limit=4").size(), 2u);
}

TEST_P(poll_parameters, P13_partitioned_is_a_truth_value_that_is_ignored) {
  for (const char* value : {"false", "true", "TRUE", "False"})
    EXPECT_TRUE(says(client.get(q + "/poll?partitioned=" + value), "[]"))
      << value;
  EXPECT_TRUE(is_unreadable(client.get(q + "/poll?partitioned=maybe"),
                            R"("maybe" must be "true" or "false".)"));
}

TEST_P(poll_parameters, P13_everywhere) {
  const std::string maybe = "?partitioned=maybe";
  const std::string complaint = R"("maybe" must be "true" or "false".)";
  for (const std::string route : {"/claimcount"})
    EXPECT_TRUE(is_unreadable(client.get(q + route + maybe), complaint));
  for (const std::string route : {"/ack", "/renew"})
    EXPECT_TRUE(is_unreadable(client.post(q + route + maybe, "[]"), complaint));
  EXPECT_TRUE(is_unreadable(client.post(q + "/unclaimall" + maybe), complaint));
  EXPECT_TRUE(is_unreadable(client.remove(q + maybe), complaint));
  if (GetParam() != flavour::queue) {
    EXPECT_TRUE(is_unreadable(client.get(q + "/size" + maybe), complaint));
    EXPECT_TRUE(is_unreadable(client.get(q + "/peek" + maybe), complaint));
  }
}

TEST_P(poll_parameters, P13_is_nothing_where_no_call_has_it) {
  const std::string maybe = "?partitioned=maybe";
  EXPECT_TRUE(is_ok(client.post(q + "/send" + maybe, "1")));
  const auto names = "&from=" + q + "&to=" + q + "x";
  EXPECT_EQ(client.post("_move" + maybe + names).status, 200u);
  if (GetParam() == flavour::queue) {
    EXPECT_EQ(client.get(q + "/size" + maybe).status, 200u);
    EXPECT_EQ(client.get(q + "/peek" + maybe).status, 200u);
  }
}

TEST_P(polls, P14_no_message_goes_to_two_of_many_pollers) {
  const auto sent = numbered(1000);
  send_batch(q, sent);
  std::mutex guard;
  std::map<std::string, int> seen;
  std::vector<std::string> payloads;
  std::vector<std::thread> pollers;
  for (int i = 0; i < 8; ++i)
    pollers.emplace_back([&] {
      emodb_client mine{shared_engine().http_port(), client.base()};
      for (;;) {
        const auto found = mine.poll(q, "ttl=300&limit=7");
        if (found.empty())
          return;
        const std::lock_guard lock{guard};
        for (const auto& x : found) {
          ++seen[x.id];
          payloads.push_back(x.payload);
        }
      }
    });
  for (auto& x : pollers)
    x.join();
  for (const auto& [id, times] : seen)
    EXPECT_EQ(times, 1) << id;
  std::sort(payloads.begin(), payloads.end());
  EXPECT_EQ(payloads, sent);
}

TEST_P(polls, P15_a_message_has_an_id_and_a_payload_and_nothing_else) {
  send_batch(q, {R"({"a":1})"});
  const auto x = client.get(q + "/poll?ttl=0");
  const auto found = x.document();
  ASSERT_TRUE(found.is_array() && found.size() == 1) << x;
  ASSERT_EQ(found[0].size(), 2u) << x;
  EXPECT_EQ(found[0].begin().key(), "id") << x;
  const auto id = found[0]["id"].get<std::string>();
  EXPECT_EQ(id.size(), 40u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  EXPECT_EQ(client.poll(q, "ttl=0").at(0).id, id);
  EXPECT_EQ(client.poll(q).at(0).id, id);
}
