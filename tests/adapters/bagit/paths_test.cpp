#include "adapters/archives/composed.hpp"
#include "adapters/bagit/paths.hpp"
#include "adapters/bagit/reading.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace depositd::bagit {

namespace {

/// Names with much of what is special.
rc::Gen<std::string> any_name() {
  return rc::gen::container<std::string>(
    rc::gen::element('\r', '\n', '%', '0', 'a', 'A', 'd', 'D', '2', '5', '/',
                     ' ', '\xc3', '\xa9'));
}

} // namespace

RC_GTEST_PROP(percents, decode_to_what_was_encoded, ()) {
  const auto name = *any_name();
  RC_ASSERT(decode_path(encode_path(name)) == name);
}

RC_GTEST_PROP(percents, never_leave_a_line_break, ()) {
  for (const bool percent_too : {true, false}) {
    const auto written = encode_path(*any_name(), percent_too);
    RC_ASSERT(written.find_first_of("\r\n") == written.npos);
  }
}

RC_GTEST_PROP(percents, of_other_characters_are_left_alone, ()) {
  const auto name = *rc::gen::container<std::string>(
    rc::gen::element('a', '0', '7', 'E', 'e', '/'));
  RC_ASSERT(decode_path("%7E" + name) == "%7E" + name);
  RC_ASSERT(decode_path(name) == name);
}

TEST(percents, are_encoded_only_since_1_0) {
  EXPECT_EQ(encode_path("a%\n", false), "a%%0A");
  EXPECT_EQ(decode_path("a%25%0a", false), "a%25\n");
  EXPECT_EQ(decode_path("a%25%0d%0D%2"), "a%\r\r%2");
}

TEST(paths, are_shown_with_bytes_that_are_not_utf8_escaped) {
  EXPECT_EQ(shown_path("data/a b/\xc3\xa9"), "data/a b/\xc3\xa9");
  EXPECT_EQ(shown_path("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(shown_path("\xff\xc3/\xc3\xa9\xc3"), "\\xff\\xc3/\xc3\xa9\\xc3");
  EXPECT_EQ(shown_path(""), "");
}

TEST(paths, are_composed_only_if_they_are_utf8) {
  EXPECT_EQ(composed("cafe\xcc\x81"), "caf\xc3\xa9");
  for (const std::string path : {"caf\xe9", "caf\xe9.txt", "a\xff/b", "\xc3"})
    EXPECT_EQ(composed(path), path);
}

TEST(paths, of_manifests_are_payload_or_are_not) {
  EXPECT_EQ(listed_path_fault("data/a", true), "");
  EXPECT_EQ(listed_path_fault("bag-info.txt", false), "");
  EXPECT_EQ(listed_path_fault("bag-info.txt", true), "is not below data/");
  EXPECT_EQ(listed_path_fault("data/a", false), "is payload, not a tag file");
  EXPECT_NE(listed_path_fault("data/../a", true), "");
  EXPECT_NE(listed_path_fault("/data/a", true), "");
}

TEST(patterns, have_stars_that_stand_for_anything) {
  EXPECT_TRUE(matches_pattern("*", "a/b"));
  EXPECT_TRUE(matches_pattern("data/*.tif", "data/x/y.tif"));
  EXPECT_TRUE(matches_pattern("a?c", "abc"));
  EXPECT_TRUE(matches_pattern("*a*b*", "xxaxxbxx"));
  EXPECT_FALSE(matches_pattern("data/*.tif", "data/x.tiff"));
  EXPECT_FALSE(matches_pattern("", "a"));
  EXPECT_FALSE(matches_pattern("a?c", "ac"));
  // A naive matcher takes for ever.
  std::string many;
  for (int i = 0; i < 40; ++i)
    many += "a*";
  EXPECT_FALSE(matches_pattern(many + "b", std::string(4'000, 'a')));
}

TEST(kinds, are_told_by_names) {
  EXPECT_EQ(kind_of_file("data/bagit.txt"), file_kind::payload);
  EXPECT_EQ(kind_of_file("manifest-md5.txt"), file_kind::manifest);
  EXPECT_EQ(kind_of_file("tagmanifest-md5.txt"), file_kind::tag_manifest);
  EXPECT_EQ(kind_of_file("x/manifest-md5.txt"), file_kind::tag_file);
  EXPECT_EQ(kind_of_file("manifest-.txt"), file_kind::tag_file);
  EXPECT_EQ(kind_of_file("package-info.txt"), file_kind::tag_file);
  EXPECT_EQ(manifest_algorithm("manifest-sha224.txt"),
            digest_algorithm::sha224);
  EXPECT_EQ(manifest_algorithm("tagmanifest-SHA-256.txt"),
            digest_algorithm::sha256);
  EXPECT_FALSE(manifest_algorithm("manifest-sha3.txt"));
  EXPECT_FALSE(manifest_algorithm("bagit.txt"));
}

} // namespace depositd::bagit
