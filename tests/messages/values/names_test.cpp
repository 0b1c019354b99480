#include "messages/values/names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd {
namespace {

TEST(user_names, are_letters_digits_dots_underscores_and_hyphens) {
  for (const auto* name :
       {"a", "Z", "0", "a.b", "_", "-x", "...", ".a", "A_b-c", "test_user"})
    EXPECT_TRUE(legal_user_name(name)) << name;
}

TEST(user_names, never_are_paths_nor_anything_a_terminal_obeys) {
  for (const auto* name : {"", ".", "..", "a/b", "a\\b", "a b", "a\n",
                           "\x1b[0m", "a:b", "a@b", "\xc3\xa4", "~", "*"})
    EXPECT_FALSE(legal_user_name(name)) << name;
  EXPECT_FALSE(legal_user_name(std::string_view{"a\0b", 3}));
}

TEST(user_names, have_at_most_64_characters) {
  EXPECT_TRUE(legal_user_name(std::string(64, 'a')));
  EXPECT_FALSE(legal_user_name(std::string(65, 'a')));
}

TEST(queue_names, are_lower_case_with_a_few_signs) {
  for (const auto* name :
       {"metadata", "a:b@c", "0", "-", "a_b", "__x", "a.b", "...", ":"})
    EXPECT_TRUE(legal_queue_name(name)) << name;
}

TEST(queue_names, never_are_paths_nor_start_with_one_underscore) {
  for (const auto* name : {"", ".", "..", "Metadata", "a/b", "_", "_a", "a b",
                           "a\n", "a*", "a|b", "\xc3\xa4"})
    EXPECT_FALSE(legal_queue_name(name)) << name;
}

TEST(queue_names, have_at_most_255_characters) {
  EXPECT_TRUE(legal_queue_name(std::string(255, 'a')));
  EXPECT_FALSE(legal_queue_name(std::string(256, 'a')));
}

TEST(names, judge_every_single_character_as_their_headers_say) {
  for (int c = 0; c < 256; ++c) {
    const std::string name(2, static_cast<char>(c));
    const auto is_digit = c >= '0' && c <= '9';
    const auto is_lower = c >= 'a' && c <= 'z';
    const auto is_upper = c >= 'A' && c <= 'Z';
    const auto common = c == '_' || c == '-'; // and the dot, but not twice
    EXPECT_EQ(legal_user_name(name), is_digit || is_lower || is_upper || common)
      << c;
    EXPECT_EQ(legal_queue_name(name),
              is_digit || is_lower || common || c == ':' || c == '@')
      << c;
    EXPECT_EQ(legal_processor_name(name), legal_user_name(name)) << c;
  }
}

} // namespace
} // namespace depositd
