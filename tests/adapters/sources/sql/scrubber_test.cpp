#include "adapters/sources/sql/scrubber.hpp"

#include <string>

#include <gtest/gtest.h>

namespace depositd::sources::sql {

TEST(a_scrubber, hides_the_password_of_an_address) {
  const scrubber scrub{"postgresql://me:s3cret@db/name"};
  EXPECT_EQ(scrub("bad \"postgresql://me:s3cret@db/name\""),
            "bad \"postgresql://me:***@db/name\"");
}

TEST(a_scrubber, hides_it_as_it_is_written_and_as_it_is_meant) {
  const scrubber scrub{"postgresql://me:a%40b%2Fc@db/name"};
  EXPECT_EQ(scrub("a%40b%2Fc or a@b/c"), "*** or ***");
}

TEST(a_scrubber, hides_what_is_left_of_one_that_is_written_wrongly) {
  const scrubber scrub{"postgresql://me:abc/def@ghi@db/name"};
  for (const auto* text : {"port \"abc\"", "host \"ghi\"", "name \"def\""})
    EXPECT_NE(scrub(text).find("***"), std::string::npos) << text;
}

TEST(a_scrubber, hides_parameters) {
  EXPECT_EQ(scrubber{"postgresql://db/name?password=s3cret&sslmode=require"}(
              "s3cret sslmode"),
            "*** sslmode");
  EXPECT_EQ(scrubber{"Driver=X;UID=me;PWD=s3cret;Port=1"}("s3cret me"),
            "*** me");
  EXPECT_EQ(scrubber{"Driver=X;Pwd={a;b};Port=1"}("a;b"), "***");
  EXPECT_EQ(scrubber{"Driver=X;Password=s3cret"}("s3cret"), "***");
}

TEST(a_scrubber, leaves_texts_without_a_password_alone) {
  EXPECT_EQ(scrubber{"postgresql://me@db/name"}("me cannot reach db"),
            "me cannot reach db");
  EXPECT_EQ(scrubber{"postgresql://db/name"}("it's late"), "it's late");
  EXPECT_EQ(scrubber{""}("x"), "x");
}

TEST(a_scrubber, makes_one_short_line_of_utf8) {
  EXPECT_EQ(scrubber{""}("a\nb\tc\n\n"), "a b c");
  EXPECT_EQ(scrubber{""}("\xff"), "\xef\xbf\xbd");
  EXPECT_LE(scrubber{""}(std::string(100'000, 'x')).size(), 1'000u);
}

} // namespace depositd::sources::sql
