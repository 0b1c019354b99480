#include "adapters/shell/words.hpp"

#include <gtest/gtest.h>

namespace depositd::shell {
namespace {

using words = std::vector<std::string>;

TEST(words, are_separated_by_blanks_and_kept_together_by_quotes) {
  const auto of = [](const char* line) {
    auto out = split_words(line);
    EXPECT_TRUE(out) << line;
    return out ? *out : words{};
  };
  EXPECT_EQ(of(""), words{});
  EXPECT_EQ(of("  a  b\tc "), (words{"a", "b", "c"}));
  EXPECT_EQ(of("'a b' \"c d\""), (words{"a b", "c d"}));
  EXPECT_EQ(of("a'b'\"c\"d"), (words{"abcd"}));
  EXPECT_EQ(of("'' x"), (words{"", "x"}));
  EXPECT_EQ(of("a\\ b \\' '\\'"), (words{"a b", "'", "\\"}));
  EXPECT_EQ(of("\"a\\\"b\""), (words{"a\"b"}));
}

TEST(words, with_open_quotes_are_refused) {
  for (const auto line : {"'a", "a \"b", "a\\", "\"a\\\""}) {
    const auto out = split_words(line);
    ASSERT_FALSE(out) << line;
    EXPECT_EQ(out.error(), ec::malformed);
    EXPECT_EQ(render(out.error()), "a quote is not closed");
  }
}

TEST(words, with_control_characters_or_without_end_are_refused) {
  EXPECT_EQ(split_words("status \x1b[31m").error(), ec::malformed);
  EXPECT_EQ(split_words(std::string_view{"a\0b", 3}).error(), ec::malformed);
  EXPECT_EQ(split_words(std::string(1 << 20, 'a')).error(), ec::too_large);
}

TEST(words, names_come_with_commas_or_blanks) {
  EXPECT_EQ(split_names({"a,b", "c d", ",,", "e"}),
            (words{"a", "b", "c", "d", "e"}));
}

} // namespace
} // namespace depositd::shell
