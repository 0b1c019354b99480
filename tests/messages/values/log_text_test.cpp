#include "messages/values/log_text.hpp"

#include <gtest/gtest.h>

namespace depositd {

TEST(log_text, stands_between_quotes) {
  EXPECT_EQ(log_text("a\n\"b\\\x7f\xc3\xa9"), "a\\x0a\\\"b\\\\\\x7f\xc3\xa9");
  EXPECT_EQ(log_text("\xff\xc3"), "\\xff\\xc3") << "no UTF-8";
  EXPECT_EQ(log_text("\xc2\x9b"), "\\xc2\\x9b") << "obeyed by terminals";
  EXPECT_EQ(log_text("\xe2\x80\xa8"), "\\xe2\\x80\\xa8") << "ends a line";
  EXPECT_EQ(log_text(""), "");
}

TEST(log_line, is_one_whatever_the_event_says) {
  EXPECT_EQ(log_line("e a=\n\t\x1b[1m\xff b=\xc3\xa9"),
            "e a=\\x0a\\x09\\x1b[1m\\xff b=\xc3\xa9");
}

TEST(log_line, has_a_reason_that_ends_where_it_ends) {
  EXPECT_EQ(log_line(R"(e a=1 reason="the file "x" item=7" trace=0f)"),
            R"(e a=1 reason="the file \"x\" item=7" trace=0f)");
  EXPECT_EQ(log_line(R"(e reason=""x"")"), R"(e reason="\"x\"")");
  EXPECT_EQ(log_line(R"(kafka_client text="say "no"")"),
            R"(kafka_client text="say \"no\"")");
}

TEST(log_line, escapes_nothing_twice) {
  for (const auto* line :
       {R"(e file="a\"b" reason="a\"b")", R"(e reason="a\\")", "e", "",
        R"(e name="x" job=1 reason="")", R"(e reason=none)", R"(reason=")"})
    EXPECT_EQ(log_line(line), line);
}

TEST(log_line, has_no_backslash_that_takes_the_end_away) {
  EXPECT_EQ(log_line(R"(e reason="C:\")"), R"(e reason="C:\\")");
}

} // namespace depositd
