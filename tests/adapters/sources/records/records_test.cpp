#include "adapters/sources/records/records.hpp"

#include <gtest/gtest.h>

namespace depositd::sources {

namespace {

record_rules rules(std::string key = {}, std::string user_field = {}) {
  return {"src", std::move(key), std::move(user_field), 100};
}

/// Why the only record of a batch is bad; empty if it is not.
std::string fault_of(const record_rules& by, std::string body) {
  pulled_batch out;
  add_record(out, by, "k", std::move(body));
  EXPECT_EQ(out.records.size() + out.bad.size(), 1u);
  return out.bad.empty() ? "" : out.bad[0].reason;
}

} // namespace

TEST(a_record, is_made_of_the_settings_of_its_source) {
  source_settings x;
  x.key = "id";
  x.user_field = "owner";
  const auto out = rules_of("src", x, 7);
  EXPECT_EQ(out.name, "src");
  EXPECT_EQ(out.key, "id");
  EXPECT_EQ(out.user_field, "owner");
  EXPECT_EQ(out.body_bytes_max, 7u);
}

TEST(a_record, has_the_key_of_its_kind_and_the_user_of_its_source) {
  pulled_batch out;
  add_record(out, rules(), "k", R"( {"a" : [1, 2] } )", "7");
  ASSERT_EQ(out.records.size(), 1u);
  EXPECT_EQ(out.records[0], (pulled_record{"k", "src", R"({"a":[1,2]})", "7"}));
}

TEST(a_record, may_be_any_json_if_no_field_is_asked_for) {
  for (const auto* body : {"1", "null", "\"text\"", "[]", "true"})
    EXPECT_EQ(fault_of(rules(), body), "") << body;
}

TEST(a_record, takes_its_key_and_user_from_fields) {
  pulled_batch out;
  add_record(out, rules("id", "owner"), "unused",
             R"({"nested":{"id":"no"},"owner":7,"id":"a\u00e4\"b"})");
  ASSERT_EQ(out.records.size(), 1u);
  EXPECT_EQ(out.records[0].key, "a\u00e4\"b");
  EXPECT_EQ(out.records[0].user, "7");
}

TEST(a_record, keeps_numbers_as_they_are_written) {
  for (const std::string number :
       {"0", "-1", "1.0", "1e3", "1.50E-7", "12345678901234567890123"}) {
    pulled_batch out;
    add_record(out, rules("id"), "", "{\"id\": " + number + " }");
    ASSERT_EQ(out.records.size(), 1u) << number;
    EXPECT_EQ(out.records[0].key, number);
  }
}

TEST(a_record, may_have_one_field_as_key_and_user) {
  pulled_batch out;
  add_record(out, rules("id", "id"), "", R"({"id":"both"})");
  ASSERT_EQ(out.records.size(), 1u);
  EXPECT_EQ(out.records[0].key, "both");
  EXPECT_EQ(out.records[0].user, "both");
}

TEST(a_record, has_the_last_of_fields_of_one_name) {
  pulled_batch out;
  add_record(out, rules("id"), "", R"({"id":null,"id":"last"})");
  ASSERT_EQ(out.records.size(), 1u);
  EXPECT_EQ(out.records[0].key, "last");
}

TEST(a_record, without_a_key_is_bad) {
  for (const auto* body :
       {R"({})", R"({"id":null})", R"({"id":true})", R"({"id":[1]})",
        R"({"id":{"id":1}})", R"({"id":""})", R"(["id"])", R"(7)"}) {
    const auto why = fault_of(rules("id"), body);
    EXPECT_NE(why.find("has no key: its field id"), std::string::npos)
      << body << " " << why;
  }
  EXPECT_EQ(fault_of(rules("id"), R"({"id":null})"),
            "has no key: its field id is null");
}

TEST(a_record, without_a_user_is_bad_where_a_field_names_it) {
  const auto by = rules({}, "owner");
  EXPECT_EQ(fault_of(by, R"({"owner":"u"})"), "");
  EXPECT_EQ(fault_of(by, R"({})"), "has no user: its field owner is missing");
  EXPECT_EQ(fault_of(by, R"({"owner":false})"),
            "has no user: its field owner is neither text nor number");
}

TEST(a_record, has_limits) {
  EXPECT_EQ(fault_of(rules(), '"' + std::string(98, 'x') + '"'), "");
  EXPECT_EQ(fault_of(rules(), '"' + std::string(99, 'x') + '"'),
            "has 101 bytes, more than 100");
  auto wide = rules("id", "owner");
  wide.body_bytes_max = 10'000;
  const auto body = [](std::size_t key, std::size_t user) {
    return R"({"id":")" + std::string(key, 'k') + R"(","owner":")"
           + std::string(user, 'u') + "\"}";
  };
  EXPECT_EQ(fault_of(wide, body(4096, 255)), "");
  EXPECT_EQ(fault_of(wide, body(4097, 255)),
            "the key has more than 4096 bytes");
  EXPECT_EQ(fault_of(wide, body(4096, 256)),
            "the user has more than 255 bytes");
}

TEST(a_record, that_is_no_json_or_not_utf8_is_bad) {
  EXPECT_EQ(fault_of(rules(), "\"\xff\""), "is not UTF-8");
  EXPECT_EQ(fault_of(rules("id"), "{\"id\":\"a\xc3\"}"), "is not UTF-8");
  for (const auto* body : {"", "{", "{} {}", "garbage", "{\"a\":1,}"})
    EXPECT_EQ(fault_of(rules(), body).find("is no JSON"), 0u) << body;
  pulled_batch out;
  add_record(out, rules(), "\xff", "{}");
  EXPECT_EQ(out.bad.at(0).reason, "the key is not UTF-8");
  EXPECT_EQ(out.bad[0].key, "\ufffd") << "can be shown";
}

TEST(a_record, that_must_be_an_object_is_bad_as_anything_else) {
  pulled_batch out;
  add_object(out, rules("id"), R"({"id":1})", "c");
  for (const auto* body : {"7", "[]", "", "garbage", "{\"id\":1"})
    add_object(out, rules("id"), body);
  add_object(out, rules("id"), "{\"id\":\"\xff\"}");
  ASSERT_EQ(out.records.size(), 1u);
  EXPECT_EQ(out.records[0], (pulled_record{"1", "src", R"({"id":1})", "c"}));
  ASSERT_EQ(out.bad.size(), 6u);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(out.bad[i].reason.find("is no JSON object"), 0u);
  EXPECT_EQ(out.bad[5].reason, "is not UTF-8");
}

TEST(a_record, may_say_where_to_go_on_behind_it) {
  pulled_batch out;
  const auto by = rules("id");
  EXPECT_EQ(add_marked_object(out, by, R"({"id":1,"at":17})", "at"), "17");
  EXPECT_EQ(add_marked_object(out, by, R"({"id":2,"at":"b"})", "at"), "b");
  EXPECT_EQ(add_marked_object(out, by, R"({"id":null,"at":"c"})", "at"), "c")
    << "a bad one as well";
  EXPECT_EQ(add_marked_object(out, by, R"({"id":3})", "at"), std::nullopt);
  EXPECT_EQ(add_marked_object(out, by, R"({"id":4,"at":[]})", "at"),
            std::nullopt);
  EXPECT_EQ(add_marked_object(out, by, R"({"id":5,"":6})", ""), std::nullopt);
  EXPECT_EQ(add_marked_object(out, by, "garbage", "at"), std::nullopt);
  ASSERT_EQ(out.records.size(), 5u);
  EXPECT_EQ(out.records[0].cursor, "17");
  EXPECT_EQ(out.records[2].cursor, "");
  EXPECT_EQ(out.bad.size(), 2u);
}

TEST(a_record, that_is_bad_says_where_it_stood) {
  pulled_batch out;
  const auto by = rules("id", "owner");
  add_object(out, by, R"({"id":1,"owner":"u"})");
  add_object(out, by, R"({"id":2})");
  add_bad(out, "k", "cannot be", "b\xff");
  add_object(out, by, R"({"id":3,"owner":"u"})");
  ASSERT_EQ(out.bad.size(), 2u);
  EXPECT_EQ(out.bad[0].at, 1u);
  EXPECT_EQ(out.bad[0].key, "2");
  EXPECT_EQ(out.bad[0].user, "");
  EXPECT_EQ(out.bad[0].body, R"({"id":2})");
  EXPECT_EQ(out.bad[1], (bad_record{"k", "", "cannot be", "b\ufffd", 1}));
}

TEST(a_message, is_its_own_body_if_it_is_json) {
  EXPECT_EQ(*body_of_message(R"( {"a": 1.0} )"), R"({"a":1.0})");
  EXPECT_EQ(*body_of_message("17"), "17");
  EXPECT_EQ(*body_of_message("null"), "null");
}

TEST(a_message, is_a_json_string_if_it_is_none) {
  EXPECT_EQ(*body_of_message(""), R"("")");
  EXPECT_EQ(*body_of_message("say \"hi\"\n"), R"("say \"hi\"\n")");
  EXPECT_EQ(*body_of_message("{\"a\":"), R"("{\"a\":")");
  EXPECT_EQ(*body_of_message("sch\u00f6n"), "\"sch\u00f6n\"");
}

TEST(a_message, must_be_utf8) {
  const auto out = body_of_message("a\xff");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::malformed);
  EXPECT_EQ(render(out.error()), "is not UTF-8");
}

TEST(readable_text, keeps_what_is_utf8) {
  EXPECT_EQ(readable(""), "");
  EXPECT_EQ(readable("sch\u00f6n"), "sch\u00f6n");
  EXPECT_EQ(readable("a\xff\xfe"
                     "b\xc3"),
            "a\ufffd\ufffdb\ufffd");
}

} // namespace depositd::sources
