// Ids, keys, parameters and answers: what needs no engine.

#include "adapters/doors/emodb/answers.hpp"
#include "adapters/doors/emodb/parameters.hpp"
#include "adapters/doors/emodb/wire_id.hpp"
#include "adapters/doors/kit/keys.hpp"
#include "adapters/doors/kit/rate_limit.hpp"
#include "adapters/stores/files/sha256.hpp"

#include <gtest/gtest.h>

namespace depositd::testing {

namespace {

using namespace emodb;
using kit::anonymous_name;
using kit::key_ring;
using kit::permitted;
using kit::rate_limit;

std::string id_of(const item_name& name, std::string_view queue) {
  std::string out;
  append_wire_id(out, name, queue);
  return out;
}

http::request with_query(http::parameters query) {
  http::request out;
  out.query = std::move(query);
  return out;
}

http::request with_header(std::string name, std::string value) {
  http::request out;
  out.headers.emplace_back(std::move(name), std::move(value));
  return out;
}

TEST(emodb_ids, come_back_as_they_went_out) {
  const item_name name{0x0123456789ABCDEF, 0xFEDCBA98};
  const auto text = id_of(name, "queue");
  EXPECT_EQ(text.size(), wire_id_size);
  EXPECT_EQ(text.substr(0, 24), "0123456789abcdeffedcba98");
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  item_name again;
  EXPECT_EQ(read_wire_id(text, "queue", again), id_fault::none);
  EXPECT_EQ(again, name);
}

TEST(emodb_ids, belong_to_one_queue) {
  const auto text = id_of({7, 9}, "queue");
  item_name out;
  EXPECT_EQ(read_wire_id(text, "dedupq/queue", out), id_fault::foreign);
  EXPECT_EQ(read_wire_id(text, "queu", out), id_fault::foreign);
  auto changed = text;
  changed[15] = '8';
  EXPECT_EQ(read_wire_id(changed, "queue", out), id_fault::foreign);
  changed = text;
  changed[23] ^= 1;
  EXPECT_EQ(read_wire_id(changed, "queue", out), id_fault::foreign);
}

TEST(emodb_ids, have_one_length_and_are_hexadecimal) {
  const auto text = id_of({7, 9}, "queue");
  item_name out;
  for (const auto& bad : {std::string{}, text.substr(1), text + "0",
                          std::string{"wrong_event_id"}, "g" + text.substr(1)})
    EXPECT_EQ(read_wire_id(bad, "queue", out), id_fault::malformed) << bad;
}

struct permit_case {
  key_permit permit;
  queue_right right;
  std::string queue;
  bool allowed;
};

TEST(emodb_keys, may_do_what_their_permits_say) {
  using enum queue_right;
  const std::vector<permit_case> cases{
    {{any, "*"}, post, "a", true},         {{any, "*"}, poll, "__a", false},
    {{any, "*"}, post, "BAD", true},       {{post, "*"}, poll, "a", false},
    {{post, "*"}, post, "a", true},        {{poll, "a"}, poll, "a", true},
    {{poll, "a"}, poll, "ab", false},      {{poll, "a*"}, poll, "ab", true},
    {{poll, "a*"}, poll, "ba", false},     {{any, "__*"}, poll, "__a", true},
    {{any, "__a"}, poll, "__a", true},     {{any, "_*"}, poll, "__a", false},
    {{any, "__*"}, poll, "a", false},      {{any, ""}, poll, "a", false},
    {{get_status, "a"}, post, "a", false},
  };
  for (const auto& x : cases)
    EXPECT_EQ(permitted({"k", {x.permit}}, x.right, x.queue), x.allowed)
      << x.permit.queue << " on " << x.queue;
}

TEST(emodb_keys, reach_queues_of_deposits_only_by_the_whole_name) {
  using enum queue_right;
  const auto reaches = [](const std::string& pattern) {
    return permitted({"k", {{any, pattern}}}, poll, "metadata",
                     queue_kind::deposit);
  };
  EXPECT_FALSE(reaches("*"));
  EXPECT_FALSE(reaches("meta*"));
  EXPECT_FALSE(reaches("metadata*"));
  EXPECT_TRUE(reaches("metadata"));
  auto control = std::make_shared<control_state>();
  control->queues["metadata"] = deposit_queue_defaults();
  const key_ring ring{control, true};
  EXPECT_EQ(ring.kind_of("metadata"), queue_kind::deposit);
  EXPECT_EQ(ring.kind_of("dedupq/metadata"), queue_kind::message);
}

TEST(emodb_keys, are_found_by_digest) {
  auto control = std::make_shared<control_state>();
  control->keys["worker"] = {
    "worker", sha256_hex("secret"), {{queue_right::poll, "a"}}};
  control->keys["gone"] = {"gone", "", {}};
  const key_ring ring{control, false};
  ASSERT_NE(ring.find("secret"), nullptr);
  EXPECT_EQ(ring.find("secret")->name, "worker");
  EXPECT_EQ(ring.find("Secret"), nullptr);
  EXPECT_EQ(ring.find(sha256_hex("secret")), nullptr);
  EXPECT_EQ(ring.find(""), nullptr);
}

TEST(emodb_keys, send_as_their_user_until_they_expire) {
  auto control = std::make_shared<control_state>();
  control->keys["ann"] = {"ann", sha256_hex("old"), {}};
  control->keys["ann~2"] = {"ann~2", sha256_hex("new"), {}};
  control->key_terms["ann"] = {"ann", "ann", 1'000, 0};
  control->key_terms["ann~2"] = {"ann~2", "ann", never, 0};
  const key_ring ring{control, false};
  const auto* old = ring.find("old");
  const auto* fresh = ring.find("new");
  ASSERT_TRUE(old && fresh);
  EXPECT_EQ(old->name, "ann");
  EXPECT_EQ(fresh->name, "ann");
  EXPECT_EQ(fresh->id, "ann~2");
  EXPECT_FALSE(old->has_expired(999));
  EXPECT_TRUE(old->has_expired(1'000));
  EXPECT_FALSE(fresh->has_expired(1'000'000'000));
}

TEST(emodb_keys, are_told_of_once_an_hour) {
  constexpr micros hour = micros{3600} * 1'000'000;
  auto control = std::make_shared<control_state>();
  control->keys["ann"] = {"ann", sha256_hex("key"), {}};
  control->keys_used["ann"] = {"ann", 100 * hour};
  const key_ring ring{control, false};
  const auto* key = ring.find("key");
  EXPECT_FALSE(key->is_news(100 * hour + 1));
  EXPECT_TRUE(key->is_news(101 * hour));
  EXPECT_FALSE(key->is_news(101 * hour + 1));
  // What else changes is no reason to tell it again, nor to look keys up anew.
  auto changed = std::make_shared<control_state>(*control);
  changed->queues["q"] = {};
  const key_ring next{changed, false, &ring};
  EXPECT_FALSE(next.find("key")->is_news(101 * hour + 2));
  EXPECT_EQ(next.kind_of("q"), queue_kind::message);
  changed = std::make_shared<control_state>(*changed);
  changed->keys["bob"] = {"bob", sha256_hex("other"), {}};
  const key_ring last{changed, false, &next};
  EXPECT_NE(last.find("other"), nullptr);
}

TEST(emodb_keys, are_not_needed_where_anonymous_is_let_in) {
  const key_ring ring{std::make_shared<control_state>(), true};
  const auto* nobody = ring.find("");
  ASSERT_NE(nobody, nullptr);
  EXPECT_EQ(nobody->name, anonymous_name);
  EXPECT_TRUE(permitted(*nobody, queue_right::post, "a"));
  EXPECT_FALSE(permitted(*nobody, queue_right::post, "__a"));
  EXPECT_EQ(ring.find("unknown"), nullptr);
}

TEST(emodb_parameters, follow_java) {
  for (const auto& [text, value] :
       std::vector<std::pair<std::string, std::int64_t>>{
         {"5", 5},
         {"+5", 5},
         {"-5", -5},
         {"", 30},
         {"007", 7},
         {"2147483647", 2147483647}}) {
    const auto from = with_query({{"ttl", text}, {"ttl", "99"}});
    query_reader query{from};
    EXPECT_EQ(query.number("ttl", 30), value) << text;
    EXPECT_FALSE(query.wrong()) << text;
  }
  for (const std::string text :
       {"1.5", "abc", "2147483648", "-2147483649", "+-5", "+", " 5", "5 "}) {
    const auto from = with_query({{"ttl", text}});
    query_reader query{from};
    query.number("ttl", 30);
    const auto wrong = query.wrong();
    ASSERT_TRUE(wrong) << text;
    EXPECT_EQ(wrong->status, 400u);
    EXPECT_EQ(wrong->body, '"' + text + "\" is not a number.");
  }
  const auto wide = with_query({{"limit", "9223372036854775807"}});
  query_reader query{wide};
  EXPECT_EQ(query.long_number("limit", 1), 9223372036854775807);
}

TEST(emodb_parameters, know_true_and_false_in_any_case) {
  for (const std::string text : {"true", "FALSE", "True", ""}) {
    const auto from = with_query({{"partitioned", text}});
    query_reader query{from};
    query.flag("partitioned");
    EXPECT_FALSE(query.wrong()) << text;
  }
  const auto from = with_query({{"partitioned", "maybe"}});
  query_reader query{from};
  query.flag("partitioned");
  EXPECT_EQ(query.wrong()->body, R"("maybe" must be "true" or "false".)");
}

TEST(emodb_parameters, want_json_on_both_ways) {
  EXPECT_FALSE(sends_json({}));
  EXPECT_FALSE(sends_json(with_header("Content-Type", "text/plain")));
  EXPECT_FALSE(sends_json(with_header("content-type", "application/jsonx")));
  EXPECT_TRUE(sends_json(with_header("content-type", "application/json")));
  EXPECT_TRUE(
    sends_json(with_header("Content-Type", "Application/JSON ; charset=x")));
  EXPECT_TRUE(accepts_json({}));
  for (const std::string text :
       {"*/*", "application/*", "application/json", "text/html, */*;q=0.1",
        "text/html, image/gif, *; q=.2, */*; q=.2", ""})
    EXPECT_TRUE(accepts_json(with_header("Accept", text))) << text;
  for (const std::string text : {"text/html", "text/html, image/*",
                                 "application/json;q=0, */*", "*/*;q=0"})
    EXPECT_FALSE(accepts_json(with_header("Accept", text))) << text;
}

TEST(emodb_parameters, take_the_key_from_header_or_query) {
  auto from = with_header("x-bv-api-key", "one");
  from.query = {{"APIKey", "two"}};
  EXPECT_EQ(key_of(from), "one");
  from.headers[0].second.clear();
  EXPECT_EQ(key_of(from), "two");
  EXPECT_EQ(key_of({}), "");
}

TEST(emodb_rate_limit, lets_each_key_have_its_rate_and_a_second_of_burst) {
  rate_limit limit{10};
  const rate_limit::time start{std::chrono::seconds{100}};
  const auto taken = [&](const std::string& key, rate_limit::time when) {
    int out = 0;
    while (limit.take(key, when))
      ++out;
    return out;
  };
  EXPECT_EQ(taken("ann", start), 10);
  EXPECT_EQ(taken("ann", start), 0);
  EXPECT_EQ(taken("bob", start), 10);
  EXPECT_EQ(taken("ann", start + std::chrono::milliseconds{250}), 2);
  EXPECT_EQ(taken("ann", start + std::chrono::hours{1}), 10);
}

TEST(emodb_rate_limit, may_be_a_users_own) {
  rate_limit limit{0};
  const rate_limit::time start{std::chrono::seconds{100}};
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(limit.take("a", start, 3));
  EXPECT_FALSE(limit.take("a", start, 3));
  EXPECT_TRUE(limit.take("b", start, 1));
  EXPECT_TRUE(limit.take("a", start + std::chrono::milliseconds{400}, 3));
}

TEST(emodb_rate_limit, of_zero_is_none) {
  rate_limit limit{0};
  for (int i = 0; i < 1000; ++i)
    EXPECT_TRUE(limit.take("ann", {}));
}

TEST(emodb_answers, have_types_that_clients_compare) {
  for (const auto& [name, value] : success().headers)
    EXPECT_EQ(name + ": " + value, "Content-Type: application/json");
  EXPECT_EQ(illegal_argument("x").headers[0].second, "text/plain");
  EXPECT_EQ(queue_forbidden("a").body, R"({"queue":"a"})");
  EXPECT_EQ(queue_forbidden("a").headers.size(), 1u);
  const auto late = service_unavailable("busy");
  EXPECT_EQ(late.status, 503u);
  EXPECT_EQ(late.headers.size(), 3u);
  EXPECT_EQ(failure(caf::make_error(ec::draining)).status, 503u);
  EXPECT_EQ(failure(caf::make_error(ec::invalid_argument)).status, 400u);
}

} // namespace

} // namespace depositd::testing
