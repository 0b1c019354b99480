// Records that were no deposits, as operators see them and send them back.

#include "tests/actors/operators/admin_access_fixture.hpp"

#include "adapters/logs/kafka/dead_letters.hpp"

namespace depositd::testing {
namespace {

std::vector<std::string> ids_of(const json& page) {
  std::vector<std::string> out;
  for (const auto& x : page["dead_letters"])
    out.push_back(x["id"]);
  return out;
}

using ids = std::vector<std::string>;

class admin_letters_test : public admin_access_test {
protected:
  admin_letters_test() {
    create_memory_topic(*world_.records, "in", 1);
    create_memory_topic(*world_.records, "dead", 2);
  }

  /// Written at this second.
  void letter(std::int32_t partition, std::int64_t second,
              const std::string& user = "ann",
              const std::string& reason = "no queue",
              std::vector<record_header> more = {},
              const std::string& value = "") {
    source_record x;
    x.written_us = second * 1'000'000;
    x.key = user;
    x.value = value.empty() ? "v" + std::to_string(second) : value;
    x.has_value = true;
    x.headers = {{"event-id", "0:" + std::to_string(second)},
                 {"schema-version", "1"},
                 {"source-topic", "in"},
                 {"source-partition", "3"},
                 {"source-offset", "99"},
                 {"reason", reason}};
    x.headers.insert(x.headers.end(), more.begin(), more.end());
    append_memory_record(*world_.records, "dead", partition, x);
  }

  std::vector<source_record> sent_back() {
    return memory_records(*world_.records, "in");
  }
};

TEST_F(admin_letters_test, the_newest_of_all_partitions_come_first) {
  for (const auto second : {1, 4, 5})
    letter(0, second);
  for (const auto second : {2, 3, 6})
    letter(1, second);
  EXPECT_EQ(ids_of(run("deadletter list")),
            (ids{"1-2", "0-2", "0-1", "1-1", "1-0", "0-0"}));
  ids paged;
  std::string next;
  do {
    const auto page = run("deadletter list", {{"limit", 1}, {"after", next}});
    for (const auto& id : ids_of(page))
      paged.push_back(id);
    next = page.value("next", "");
  } while (!next.empty());
  EXPECT_EQ(paged, ids_of(run("deadletter list")));
}

TEST_F(admin_letters_test, a_letter_says_where_it_came_from) {
  letter(1, 7, "ann", "no such queue", {{"own", "x"}});
  const auto listed = run("deadletter list")["dead_letters"].at(0);
  auto expected = json::parse(R"({"id":"1-0","written_at":
    "1970-01-01T00:00:07.000Z","reason":"no such queue","key":"ann",
    "topic":"in","partition":3,"offset":99,"event_id":"0:7",
    "value_bytes":2,"value_omitted":false})");
  EXPECT_EQ(listed, expected);
  expected["headers"] = json::parse(R"([{"name":"own","value":"x"}])");
  expected["value"] = "v7";
  expected["value_cut"] = false;
  EXPECT_EQ(run("deadletter show", {{"id", "1-0"}}), expected);
}

TEST_F(admin_letters_test, a_letter_does_not_say_what_opens_its_payload) {
  letter(1, 7, "ann", "no such queue", {},
         R"({"payload_url":"https://h/a?sig=hidden"})");
  EXPECT_EQ(run("deadletter show", {{"id", "1-0"}})["value"],
            R"({"payload_url":"https://h/a?sig=***"})");
  run("deadletter replay", {{"ids", {"1-0"}}});
  EXPECT_NE(sent_back().at(0).value.find("sig=hidden"), std::string::npos);
}

TEST_F(admin_letters_test, a_search_finds_what_is_far_behind) {
  letter(0, 1, "bob", "broken");
  for (std::int64_t i = 2; i < 5'000; ++i)
    letter(0, i);
  letter(1, 5'000, "bob");
  EXPECT_EQ(ids_of(run("deadletter list", {{"key", "bob"}})),
            (ids{"1-0", "0-0"}));
  const auto found = run("deadletter list", {{"text", "rok"}});
  EXPECT_EQ(ids_of(found), (ids{"0-0"}));
  EXPECT_EQ(found.count("next"), 0u);
}

TEST_F(admin_letters_test, a_search_that_is_not_through_says_where_it_is) {
  letter(0, 1, "bob");
  for (std::int64_t i = 2; i < 20'010; ++i)
    letter(0, i);
  auto found = run("deadletter list", {{"key", "bob"}});
  EXPECT_EQ(ids_of(found), ids{});
  found = run("deadletter list", {{"key", "bob"}, {"after", found["next"]}});
  EXPECT_EQ(ids_of(found), (ids{"0-0"}));
}

TEST_F(admin_letters_test, what_retention_took_is_not_there) {
  for (const auto second : {1, 2, 3})
    letter(0, second);
  trim_memory_partition(*world_.records, "dead", 0, 2);
  EXPECT_EQ(ids_of(run("deadletter list")), (ids{"0-2"}));
  refusal("deadletter show", {{"id", "0-1"}}, ec::not_found);
  refusal("deadletter replay", {{"ids", {"0-2", "0-1"}}}, ec::not_found);
  EXPECT_TRUE(sent_back().empty());
}

TEST_F(admin_letters_test, a_record_goes_back_as_it_was) {
  letter(0, 1, "ann", "no queue", {{"own", "x"}, {"own", "y"}});
  letter(1, 2, "bob");
  const auto x = run("deadletter replay", {{"ids", {"1-0", "0-0"}}});
  EXPECT_EQ(x, json::parse(R"({"replayed":["1-0","0-0"],"topic":"in"})"));
  const auto back = sent_back();
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].key, "bob");
  EXPECT_EQ(back[1].key, "ann");
  EXPECT_EQ(back[1].value, "v1");
  EXPECT_EQ(back[1].headers,
            (std::vector<record_header>{{"own", "x"}, {"own", "y"}}));
  EXPECT_EQ(audit_lines(), 1u);
}

TEST_F(admin_letters_test, none_goes_back_twice) {
  letter(0, 1, "ann");
  letter(1, 2, "bob");
  const auto why =
    refusal("deadletter replay", {{"ids", {"0-0", "1-0", "0-0"}}});
  EXPECT_NE(why.find("\"0-0\" is named twice"), std::string::npos) << why;
  EXPECT_TRUE(sent_back().empty());
}

TEST_F(admin_letters_test, what_is_no_longer_whole_stays) {
  letter(0, 1);
  letter(0, 2, "ann", "too large", {{value_omitted_header, "5000000"}});
  letter(0, 3, "ann", kafka::other_version_reason);
  letter(0, 4, "ann", "x", {});
  auto elsewhere = memory_records(*world_.records, "dead").back();
  for (auto& x : elsewhere.headers)
    if (x.name == "source-topic")
      x.value = "secrets";
  append_memory_record(*world_.records, "dead", 0, elsewhere);
  EXPECT_EQ(run("deadletter show", {{"id", "0-1"}})["value_bytes"], 5'000'000);
  for (const char* with : {"0-1", "0-2", "0-4"})
    refusal("deadletter replay", {{"ids", {"0-0", with}}}, ec::not_allowed);
  EXPECT_TRUE(sent_back().empty());
}

TEST_F(admin_letters_test, wrong_names_are_told) {
  for (const char* id : {"7", "0-", "-1-0", "0-x", "0-1x", "9-0"})
    refusal("deadletter show", {{"id", id}},
            std::string{id} == "9-0" ? ec::not_found : ec::invalid_argument);
  refusal("deadletter list", {{"after", "0:1"}});
  refusal("deadletter replay", {{"ids", json::array()}});
}

TEST_F(admin_letters_test, nobody_waits_long_for_brokers) {
  letter(0, 1);
  reach_memory_brokers(*world_.records, false);
  refusal("deadletter list", json::object(), ec::store_failed);
  refusal("deadletter replay", {{"ids", {"0-0", "0-1"}}}, ec::store_failed);
}

} // namespace
} // namespace depositd::testing
