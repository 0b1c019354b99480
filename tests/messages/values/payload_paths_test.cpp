#include "messages/values/payload_paths.hpp"

#include <gtest/gtest.h>

namespace depositd {

TEST(payload_paths, row_37_that_leave_or_hide_are_refused) {
  using namespace std::string_literals;
  for (const auto& path : {""s,
                           "../x"s,
                           "a/../x"s,
                           "a/.."s,
                           "/etc/x"s,
                           "~/x"s,
                           "~root/x"s,
                           "a//b"s,
                           "a/"s,
                           "a/./b"s,
                           "."s,
                           ".."s,
                           "CON"s,
                           "a/con.txt"s,
                           "lpt1"s,
                           "a."s,
                           "a./b"s,
                           "a\0b"s,
                           "a\nb"s,
                           "a\x1b[2Jb"s,
                           "\x7f"s,
                           "..\\x"s,
                           "a\\..\\x"s,
                           "\\x"s,
                           "C:\\x"s,
                           "c:x"s,
                           "\xff"s,
                           "\xc0\xaf"s,
                           std::string(256, 'a'),
                           "a/" + std::string(256, 'a')})
    EXPECT_NE(payload_path_fault(path), "") << path;
}

TEST(payload_paths, M42_of_all_the_world_are_accepted) {
  for (const auto* path : {"a",
                           "a/b/c.txt",
                           "a b",
                           " a",
                           "a ",
                           "a+b",
                           "100%",
                           "a%20b",
                           "a%2fb",
                           "caf\u00e9",
                           "\u65e5\u672c\u8a9e.txt",
                           "\u05e2\u05d1\u05e8\u05d9\u05ea",
                           "\u0627\u0644\u0639",
                           "!@#$^&()_=-[]{};',",
                           "a..b",
                           "..a",
                           "a|b",
                           "\ufffd",
                           ".hidden",
                           "~lock",
                           "console",
                           "com10",
                           "a\\b",
                           "x:y"})
    EXPECT_EQ(payload_path_fault(path),
              path == std::string{"x:y"} ? "is absolute" : "")
      << path;
}

TEST(payload_paths, are_bounded) {
  std::string deep = "a";
  for (int i = 1; i < 64; ++i)
    deep += "/a";
  EXPECT_EQ(payload_path_fault(deep), "");
  EXPECT_EQ(payload_path_fault(deep + "/a"), "is too deep");
  std::string longest;
  for (int i = 0; i < 9; ++i)
    longest += std::string(240, 'a') + "/";
  EXPECT_EQ(payload_path_fault(longest), "has more than 2048 bytes");
}

TEST(payload_paths, collide_whatever_their_case_and_composition) {
  EXPECT_EQ(collision_key("A/File.TXT"), collision_key("a/file.txt"));
  EXPECT_EQ(collision_key("caf\u00e9"), collision_key("CAFE\u0301"));
  EXPECT_EQ(collision_key("stra\u00dfe"), collision_key("STRASSE"));
  EXPECT_NE(collision_key("a/b"), collision_key("a_b"));
}

} // namespace depositd
