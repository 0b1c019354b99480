#include "messages/values/json_text.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

TEST(json_text, is_one_line) {
  EXPECT_EQ(json_text(json{{"b", 1}, {"a", "\n"}}), R"({"a":"\n","b":1})");
  EXPECT_EQ(json_text(ordered_json{{"b", 1}, {"a", "ü"}}),
            R"({"b":1,"a":"ü"})");
}

TEST(json_text, replaces_what_is_no_utf_8) {
  EXPECT_EQ(json_text(json("a\xFFz")), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(ascii_json_text(ordered_json("a\xFFz")), R"("a\ufffdz")");
  EXPECT_EQ(indented_json_text(json{"\xFF"}), "[\n \"\xEF\xBF\xBD\"\n]");
}

TEST(json_text, may_be_ascii) {
  EXPECT_EQ(ascii_json_text(json("ü")), R"("\u00fc")");
}

TEST(json_of, reads_a_text) {
  EXPECT_EQ(json_of(R"( {"a": [1, null]} )"), (json{{"a", {1, nullptr}}}));
  EXPECT_TRUE(is_json(R"( {"a": [1, null]} )"));
  EXPECT_EQ(json_text(ordered_json_of(R"({"b":1,"a":2})")), R"({"b":1,"a":2})");
}

TEST(json_of, discards_what_is_none) {
  for (const auto* text : {"", "{", "{\"a\":1} 2", "\"\xFF\"", "nul"}) {
    EXPECT_TRUE(json_of(text).is_discarded()) << text;
    EXPECT_TRUE(ordered_json_of(text).is_discarded()) << text;
    EXPECT_FALSE(is_json(text)) << text;
    EXPECT_THROW(sound_json_of(text), json::parse_error) << text;
  }
}

std::string levels(std::size_t count, char open, char close) {
  return std::string(count, open) + std::string(count, close);
}

TEST(json_of, discards_what_would_take_more_stack_than_there_is) {
  const auto much = levels(json_levels_max, '[', ']');
  EXPECT_EQ(json_text(json_of(much)), much);
  const auto too_much = levels(1'000'000, '[', ']');
  for (const auto& text :
       {levels(json_levels_max + 1, '[', ']'), too_much,
        "{\"a\": \"\\\"]]\", \"b\": " + too_much + "}"}) {
    EXPECT_TRUE(json_of(text).is_discarded());
    EXPECT_TRUE(json_of(text, nullptr).is_discarded());
    EXPECT_TRUE(ordered_json_of(text).is_discarded());
    EXPECT_THROW(sound_json_of(text), json::parse_error);
  }
}

TEST(json_of, takes_brackets_in_texts_for_no_levels) {
  const auto text = "[\"" + std::string(1'000, '[') + R"(\"{{"])";
  EXPECT_EQ(json_text(json_of(text)), text);
  const auto wide = "[[]" + std::string(1'000, ' ') + ",{}]";
  EXPECT_EQ(json_text(json_of(wide)), "[[],{}]");
}

TEST(json_of, leaves_out_what_its_looker_does_not_want) {
  const auto look = [](int, json::parse_event_t event, json& part) {
    return event != json::parse_event_t::value || part != 2;
  };
  EXPECT_EQ(json_of("[1,2,3]", look), (json{1, 3}));
}

} // namespace

} // namespace depositd
