// What is read of JSON bodies, and what is refused.

#include "adapters/doors/kit/json_reader.hpp"
#include "adapters/doors/kit/json_text.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace depositd::testing {

namespace {

using kit::json_fault;
using kit::json_reader;

struct copied {
  bool fine = false;
  std::string text;
  json_fault fault = json_fault::none;
};

copied copy(std::string_view text) {
  copied out;
  json_reader reader{text};
  out.fine = reader.copy(out.text) && reader.finish();
  out.fault = reader.fault();
  return out;
}

std::string deep(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(emodb_json, keeps_tokens_and_drops_blanks) {
  const std::vector<std::pair<std::string, std::string>> cases{
    {R"({ "a" : 1 , "b":[ ] , "c" : { } })", R"({"a":1,"b":[],"c":{}})"},
    {"\t[1, 2.50 ,\r\n-0,1E+2,true,false,null]\n",
     "[1,2.50,-0,1E+2,true,false,null]"},
    {R"("blank  and \" quote, \\ and \n")",
     R"("blank  and \" quote, \\ and \n")"},
    {R"(["a\u0041\u00e9\u20ac\/",  "\ud83d\ude00"])",
     "[\"aA\xC3\xA9\xE2\x82\xAC/\",\"\xF0\x9F\x98\x80\"]"},
    {R"("\u000a\u0001\u001f\u0022\u005c\ud800\udc00\ud800x")",
     "\"\\n\\u0001\\u001F\\\"\\\\\xF0\x90\x80\x80\\uD800x\""},
    {R"(["\udFfFa\uDc00\udbff","\uABCd"])",
     "[\"\\uDFFFa\\uDC00\\uDBFF\",\"\xEA\xAF\x8D\"]"},
    {"12 abc", "12"},
    {"123456789012345678901234567890", "123456789012345678901234567890"},
    {"1e-400", "1e-400"},
    {"\xEF\xBB\xBF{}", "{}"},
    {"{} and what follows", "{}"},
    {R"([[[],{"x":[{}]}],""])", R"([[[],{"x":[{}]}],""])"},
    {"\"a string that is longer than one step of the search \xC3\xA9\"",
     "\"a string that is longer than one step of the search \xC3\xA9\""},
  };
  for (const auto& [text, compact] : cases) {
    const auto got = copy(text);
    EXPECT_TRUE(got.fine) << text;
    EXPECT_EQ(got.text, compact);
  }
}

TEST(emodb_json, refuses_what_is_no_json) {
  for (const std::string text :
       {"",      "  ",         "{bad",        "{\"a\":1", "{'a':1}",
        "[1,]",  "{\"a\":1,}", "NaN",         "[1 2]",    "{\"a\" 1}",
        "{1:2}", "[,1]",       "tru",         "truex",    "01",
        "1.",    ".5",         "-",           "1e",       "+1",
        "\"a",   "\"\\x\"",    "\"\\u12g4\"", "\"\n\"",   "]",
        "[}",    "{]",         "[\"a\":1]",   "Infinity", "12abc",
        "1,2",   "1]",         "12\xFF",      "\"\xC3\"", "\"\xED\xA0\x80\""}) {
    const auto got = copy(text);
    EXPECT_FALSE(got.fine) << text;
    EXPECT_EQ(got.fault, json_fault::syntax) << text;
  }
}

TEST(emodb_json, refuses_numbers_that_are_too_large) {
  for (const auto& text : {std::string{"1e400"}, std::string{"[-1e309]"},
                           std::string(400, '9') + ".5"}) {
    const auto got = copy(text);
    EXPECT_EQ(got.fault, json_fault::not_finite) << text;
  }
  EXPECT_TRUE(copy(std::string(400, '9')).fine);
  EXPECT_TRUE(copy("1e308").fine);
}

TEST(emodb_json, bounds_how_deep_values_lie_in_each_other) {
  EXPECT_TRUE(copy(deep(kit::json_depth_max)).fine);
  EXPECT_EQ(copy(deep(kit::json_depth_max + 1)).fault, json_fault::syntax);
  EXPECT_EQ(copy(std::string(1'000'000, '[')).fault, json_fault::syntax);
}

TEST(emodb_json, slices_an_array) {
  json_reader reader{R"( [1, "two" ,[ 3 ],{"four" : 4}] rest)"};
  std::vector<std::string> got;
  ASSERT_TRUE(reader.open('['));
  for (bool first = true; reader.next(']', first);) {
    got.emplace_back();
    ASSERT_TRUE(reader.copy(got.back()));
  }
  EXPECT_TRUE(reader.finish());
  EXPECT_EQ(got,
            (std::vector<std::string>{"1", "\"two\"", "[3]", R"({"four":4})"}));
}

TEST(emodb_json, tells_another_shape_from_no_json) {
  json_reader object{R"({"a":1})"};
  EXPECT_FALSE(object.open('['));
  EXPECT_EQ(object.fault(), json_fault::shape);
  json_reader broken{R"({"a")"};
  EXPECT_FALSE(broken.open('['));
  EXPECT_EQ(broken.fault(), json_fault::syntax);
  json_reader trailing{"[1,]"};
  bool first = true;
  std::string text;
  EXPECT_TRUE(trailing.open('[') && trailing.next(']', first)
              && trailing.copy(text));
  EXPECT_FALSE(trailing.next(']', first));
  EXPECT_EQ(trailing.fault(), json_fault::syntax);
}

TEST(emodb_json, reads_texts_with_escapes) {
  json_reader reader{R"(["a\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00\ud800x"])"};
  std::string text;
  bool first = true;
  ASSERT_TRUE(reader.open('[') && reader.next(']', first));
  ASSERT_TRUE(reader.text(text));
  EXPECT_EQ(text, "a\"\\/\b\f\n\r\tA\xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBDx");
}

TEST(emodb_json, writes_texts_that_can_be_read_again) {
  std::string all;
  for (int c = 0; c < 128; ++c)
    all += static_cast<char>(c);
  all += "\xC3\xA9";
  std::string token;
  kit::append_json_string(token, all);
  std::string again;
  json_reader reader{token};
  ASSERT_TRUE(reader.text(again));
  EXPECT_TRUE(reader.finish());
  EXPECT_EQ(again, all);
}

} // namespace

} // namespace depositd::testing
