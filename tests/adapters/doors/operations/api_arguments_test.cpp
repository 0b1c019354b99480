// Queries and bodies as arguments of commands.

#include "adapters/doors/operations/api_arguments.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd {

namespace {

constexpr micros now = 1'000'000;

command_spec a_row() {
  command_spec out;
  out.words = "x";
  out.arguments = {
    {"--number", "number", value_kind::number},
    {"--limit", "limit", value_kind::limit_or_default},
    {"--bytes", "bytes", value_kind::bytes},
    {"--from", "from", value_kind::time},
    {"--expires", "expires", value_kind::expiry},
    {"--users", "users", value_kind::users},
    {"--each", "each", value_kind::each},
    {"--flag", "flag", value_kind::flag},
    {"--text", "text", value_kind::text},
    {"--password-stdin", "password_hash", value_kind::password},
  };
  return out;
}

std::string in_query(const http::parameters& query) {
  const auto out = arguments_in_query(a_row(), query, now);
  return out ? out->object.dump() : render(out.error());
}

std::string in_body(const std::string& body) {
  const auto out = arguments_in_body(a_row(), body, now);
  return out ? out->object.dump()
             : to_string(static_cast<ec>(out.error().code()));
}

TEST(api_arguments, have_the_types_of_their_row) {
  EXPECT_EQ(in_query({{"number", "5"}}), R"({"number":5})");
  EXPECT_EQ(in_query({{"limit", "none"}}), R"({"limit":"none"})");
  EXPECT_EQ(in_query({{"bytes", "10k"}}), R"({"bytes":10240})");
  EXPECT_EQ(in_query({{"bytes", "default"}}), R"({"bytes":"default"})");
  EXPECT_EQ(in_query({{"from", "1970-01-01T00:00:02Z"}}),
            R"({"from":2000000})");
  EXPECT_EQ(in_query({{"expires", "1d"}}), R"({"expires":86401000000})");
  EXPECT_EQ(in_query({{"flag", ""}}), R"({"flag":true})");
  EXPECT_EQ(in_query({{"flag", "false"}}), R"({"flag":false})");
  EXPECT_EQ(in_query({{"text", "5"}}), R"({"text":"5"})");
}

TEST(api_arguments, that_are_texts_may_be_numbers_of_answers) {
  EXPECT_EQ(in_body(R"({"text":5})"), R"({"text":"5"})");
  EXPECT_EQ(in_body(R"({"text":18446744073709551615})"),
            R"({"text":"18446744073709551615"})");
  EXPECT_EQ(in_body(R"({"text":1.5})"), R"({"text":1.5})") << "refused later";
}

TEST(api_arguments, are_lists_when_repeated_or_separated) {
  EXPECT_EQ(in_query({{"users", "a, b"}, {"users", "c"}}),
            R"({"users":["a","b","c"]})");
  EXPECT_EQ(in_query({{"each", "a, b"}, {"each", "c"}}),
            R"({"each":["a, b","c"]})");
  EXPECT_EQ(in_query({{"text", "a"}, {"text", "b"}}), "text is given twice");
}

TEST(api_arguments, are_left_to_the_command_where_they_are_wrong) {
  EXPECT_EQ(in_query({{"number", "many"}}), R"({"number":"many"})");
  EXPECT_EQ(in_query({{"bytes", "99999999999999g"}}),
            R"({"bytes":"99999999999999g"})");
  EXPECT_EQ(in_query({{"unknown", "x"}}), R"({"unknown":"x"})");
  EXPECT_EQ(in_query({{"flag", "maybe"}}), "flag must be true or false");
  EXPECT_TRUE(in_query({{"from", "soon"}}).starts_with("from: "));
  EXPECT_EQ(in_query({{"text", "\xff"}}), "the query must be UTF-8");
}

TEST(api_arguments, in_bodies_are_json) {
  EXPECT_EQ(in_body(""), "{}");
  EXPECT_EQ(in_body(R"({"from":"1970-01-01T00:00:02Z","text":"5"})"),
            R"({"from":2000000,"text":"5"})");
  EXPECT_EQ(in_body(R"({"from":7})"), R"({"from":7})");
  EXPECT_EQ(in_body(R"({"password":"p"})"), R"({"password_hash":"p"})");
  EXPECT_EQ(in_body("[]"), "malformed");
  EXPECT_EQ(in_body("{"), "malformed");
  EXPECT_EQ(in_body(R"({"from":"soon"})"), "invalid_argument");
  EXPECT_EQ(in_body(R"({"yes":"no"})"), "invalid_argument");
}

TEST(api_arguments, in_bodies_are_not_deep) {
  EXPECT_EQ(
    in_body("{\"a\":" + std::string(20, '[') + std::string(20, ']') + "}"),
    "malformed");
}

TEST(api_arguments, row_50_are_given_once) {
  EXPECT_EQ(in_body(R"({"from":1,"from":2})"), "invalid_argument");
  EXPECT_EQ(in_body(R"({"from":1,"fr\u006fm":1})"), "invalid_argument");
  EXPECT_EQ(in_body(R"({"yes":false,"yes":true})"), "invalid_argument");
  EXPECT_EQ(in_body(R"({"none":{"from":1},"from":2})"),
            R"({"from":2,"none":{"from":1}})");
}

TEST(api_arguments, say_yes_apart) {
  const auto x = arguments_in_body(a_row(), R"({"yes":true})", now);
  ASSERT_TRUE(x);
  EXPECT_TRUE(x->yes);
  EXPECT_TRUE(x->object.empty());
}

} // namespace

} // namespace depositd
