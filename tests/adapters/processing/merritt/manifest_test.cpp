// Names of tests begin with the rows of the case table that they stand for;
// MV rows are CDL's own cases for manifests of one object.

#include "tests/adapters/processing/merritt/manifests.hpp"

#include <gtest/gtest.h>

namespace depositd::merritt {

namespace {

using namespace testing;

const std::string both = first_row + second_row;

std::string replaced(std::string text, const std::string& what,
                     const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return text.replace(at, what.size(), by);
}

} // namespace

TEST(manifest, M03_of_an_object_has_its_files) {
  const auto x = read_manifest(object(both), manifest_kind::object);
  ASSERT_FALSE(x.corrupt()) << render(*x.fault);
  EXPECT_EQ(x.found.kind, manifest_kind::object);
  ASSERT_EQ(x.found.rows.size(), 2u);
  const auto& one = x.found.rows[0];
  EXPECT_EQ(one.line, 6u);
  EXPECT_EQ(one.url, "https://example.org/blocks/one.jpg");
  EXPECT_EQ(one.expected, (digest{digest_algorithm::md5,
                                  "900150983cd24fb0d6963f7d28e17f72"}));
  EXPECT_EQ(one.size, 12u);
  EXPECT_EQ(one.modified_us, 1'577'836'800'000'000);
  EXPECT_EQ(one.file_name, "one.jpg");
  EXPECT_EQ(one.mime_type, "image/jpeg");
  EXPECT_FALSE(x.found.rows[1].size);
  EXPECT_EQ(x.found.rows[1].mime_type, "");
}

TEST(manifest, M21_needs_only_profile_and_end) {
  const auto bare = "#%profile | http://uc3.cdlib.org/registry/ingest/manifest/"
                    "mrt-ingest-manifest\n";
  EXPECT_EQ(fault_of(bare + both + eof), "")
    << "no declaration, prefix, fields";
  EXPECT_EQ(fault_of(replaced(object(both), "mrt:", "mrtfoo:")), "");
  EXPECT_EQ(fault_of(replaced(object(both), "nfo#", "nfo#FOO")), "");
  EXPECT_EQ(fault_of(object_header + both + "#%EOF"), "")
    << "no final line break, capitals";
}

TEST(manifest, M21_may_have_blank_lines_and_comments_before_its_end) {
  EXPECT_EQ(
    fault_of(object("\n" + first_row + "\n# comment\n" + second_row + "  \n")),
    "");
}

TEST(manifest, M21_may_have_lines_of_windows) {
  auto text = object(both);
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2)
    text.replace(at, 1, "\r\n");
  const auto x = read_manifest(text);
  ASSERT_FALSE(x.corrupt()) << render(*x.fault);
  EXPECT_EQ(x.found.rows[1].file_name, "two.txt");
}

TEST(manifest, M12_M21_reads_algorithms_in_capitals) {
  for (const auto* name : {"MD5", "Md5", "MD-5"})
    EXPECT_EQ(fault_of(object(replaced(first_row, "md5", name))), "") << name;
  EXPECT_EQ(
    read_manifest(object(replaced(first_row, "900150983cd2", "900150983CD2")))
      .found.rows[0]
      .expected->value,
    "900150983cd24fb0d6963f7d28e17f72");
}

TEST(manifest, M22_needs_a_profile) {
  EXPECT_EQ(corruption_of("#%checkm_0.7\n" + both + eof),
            "line 2: there is no #%profile before the first row");
  EXPECT_EQ(corruption_of(both), "line 1: there is no #%profile before the "
                                 "first row");
  EXPECT_EQ(corruption_of("#%eof\n"), "there is no #%profile");
  EXPECT_EQ(corruption_of(""), "there is no #%profile");
  EXPECT_EQ(corruption_of(replaced(object(both), "mrt-ingest", "mrt-foo")),
            "line 2: \"http://uc3.cdlib.org/registry/ingest/manifest/"
            "mrt-foo-manifest\" is no known profile");
}

TEST(manifest, M22_ends_with_its_last_line) {
  EXPECT_EQ(corruption_of(object_header + both),
            "line 7: the last line is not #%eof");
  EXPECT_EQ(corruption_of(object(both) + "\n"),
            "line 9: nothing may follow #%eof, not even a blank line");
  EXPECT_EQ(corruption_of(object(first_row) + second_row),
            "line 8: nothing may follow #%eof, not even a blank line");
}

TEST(manifest, M22_is_utf8_without_a_mark) {
  EXPECT_EQ(corruption_of(object(replaced(both, "two.txt |", "tw\xf6.txt |"))),
            "line 7 is not UTF-8");
  EXPECT_EQ(corruption_of("\xef\xbb\xbf" + object(both)),
            "the manifest begins with a byte order mark");
}

TEST(manifest, has_no_header_between_rows) {
  EXPECT_EQ(corruption_of(object(first_row + "#%fields | x\n" + second_row)),
            "line 7: a #% line between rows");
}

TEST(manifest, M23_has_its_columns_in_a_fixed_order) {
  EXPECT_EQ(corruption_of(object("| | md5 | https://example.org/a | "
                                 "900150983cd24fb0d6963f7d28e17f72 | a\n")),
            "line 6: the file size \"https://example.org/a\" is no whole "
            "number");
}

TEST(manifest, M24_may_have_more_columns) {
  EXPECT_EQ(fault_of(object(
              replaced(first_row, "image/jpeg", "image/jpeg | | x | y |"))),
            "");
}

TEST(manifest, M25_names_the_line_and_what_is_wrong) {
  EXPECT_EQ(
    corruption_of(object(first_row + replaced(second_row, "md5", "md6"))),
    "line 7: there is no digest algorithm \"md6\"");
  for (const auto* size : {"12.5", "-1", "0x10", "99999999999999999999", "1k"})
    EXPECT_EQ(
      corruption_of(
        object(replaced(first_row, "| 12 |", "| " + std::string{size} + " |"))),
      "line 6: the file size \"" + std::string{size} + "\" is no whole number");
}

TEST(manifest, M25_row_44_takes_addresses_of_the_web_only) {
  for (const auto* scheme : {"ftp", "file", "gopher", "dict", "htttps", "ssh"})
    EXPECT_EQ(corruption_of(object(replaced(first_row, "https", scheme))),
              "line 6: only http and https are fetched, not \""
                + std::string{scheme} + "://example.org/blocks/one.jpg\"");
  EXPECT_EQ(corruption_of(object("https://u:p@example.org/a\n")),
            "line 6: the URL names a user");
  EXPECT_EQ(corruption_of(object("https:///a\n")),
            "line 6: \"https:///a\" is no URL");
  EXPECT_EQ(corruption_of(object("https://example.org/a%0d%0ab\n")),
            "line 6: the URL has an encoded line break or zero");
  EXPECT_NE(corruption_of(object("example.org/a\n")), "");
}

TEST(manifest, M26_reads_dates) {
  for (const auto* date :
       {"2020-01-01", "2020-01-01T00:00", "2020-01-01T00:00:00Z",
        "2020-01-01T00:00.000Z", "2020-01-01 10:20:30",
        "2020-01-01T00:00+02:00", "2020-01-01T00:00:00.123-0800"})
    EXPECT_EQ(fault_of(object(replaced(first_row, "2020-01-01", date))), "")
      << date;
  for (const auto* date : {"foo", "2020-13-01", "2020-02-30", "01/02/2020",
                           "2020-01-01T25:00", "2020-01-01T00:00.x"})
    EXPECT_EQ(corruption_of(object(replaced(first_row, "2020-01-01", date))),
              "line 6: \"" + std::string{date} + "\" is no date");
  EXPECT_EQ(read_manifest(object(replaced(first_row, "2020-01-01",
                                          "2020-01-01T02:00+02:00")))
              .found.rows[0]
              .modified_us,
            1'577'836'800'000'000);
}

TEST(manifest, M27_of_an_object_needs_its_addresses) {
  EXPECT_EQ(corruption_of(object(" | | | | | a.txt\n")),
            "line 6: there is no URL");
}

TEST(manifest, M28_takes_missing_names_from_the_address) {
  const auto x =
    read_manifest(object("https://example.org/a/b%20c.txt?x=1/2#d\n"));
  ASSERT_FALSE(x.corrupt()) << render(*x.fault);
  EXPECT_EQ(x.found.rows[0].file_name, "b%20c.txt");
  EXPECT_EQ(corruption_of(object("https://example.org/a/\n")),
            "line 6: the file name \"\" is empty");
}

TEST(manifest, M29_has_each_name_once) {
  EXPECT_EQ(corruption_of(object(
              first_row + replaced(second_row, "| two.txt", "| one.jpg"))),
            "line 7: the file name \"one.jpg\" is in line 6 already");
}

TEST(manifest, M29_has_no_file_that_is_the_folder_of_another) {
  EXPECT_EQ(corruption_of(object(
              first_row + replaced(second_row, "| two.txt", "| one.jpg/x"))),
            "line 7: the folder of \"one.jpg/x\" is the file in line 6");
  EXPECT_EQ(fault_of(object(
              first_row + replaced(second_row, "| two.txt", "| one.jpg.x/x"))),
            "");
}

TEST(manifest, M30_tells_names_apart_by_folder_and_case) {
  for (const auto* name : {"| a/one.jpg", "| ONE.jpg"})
    EXPECT_EQ(
      fault_of(object(first_row + replaced(second_row, "| two.txt", name))),
      "");
}

TEST(manifest, M31_has_digests_of_the_right_length) {
  EXPECT_EQ(corruption_of(object(replaced(first_row, "md5", "sha-256"))),
            "line 6: a sha-256 has 64 hexadecimal digits, not "
            "\"900150983cd24fb0d6963f7d28e17f72\"");
}

TEST(manifest, ignores_an_algorithm_without_a_value_and_the_reverse) {
  const auto x = read_manifest(object("https://example.org/a | md5\n"
                                      "https://example.org/b | | 0011\n"));
  ASSERT_FALSE(x.corrupt()) << render(*x.fault);
  EXPECT_FALSE(x.found.rows[0].expected);
  EXPECT_FALSE(x.found.rows[1].expected);
}

TEST(manifest, M39_row_37_refuses_names_that_leave_the_payload) {
  for (const auto* name :
       {"../x", "/etc/x", "~/x", "a//b", "a/./b", "CON", "a."})
    EXPECT_NE(corruption_of(object(replaced(first_row, "| one.jpg",
                                            "| " + std::string{name})))
                .find("line 6: the file name \"" + std::string{name} + "\" "),
              std::string::npos)
      << name;
  EXPECT_EQ(corruption_of(object(
              replaced(first_row, "one.jpg |", std::string{"a\0b |", 5}))),
            "line 6: the line has a control character");
}

TEST(manifest, M42_keeps_names_byte_for_byte) {
  for (const auto* name :
       {"a b.txt", "a+b.txt", "100%.txt", "caf\u00e9.txt", "\u65e5\u672c.txt",
        "\u05e2\u05d1.txt", "\u0627\u0644.txt", "!@#$^&().txt", "a..b.txt",
        "\ufffd.txt"}) {
    const auto x = read_manifest(
      object(replaced(first_row, "| one.jpg", "| " + std::string{name})));
    ASSERT_FALSE(x.corrupt()) << render(*x.fault);
    EXPECT_EQ(x.found.rows[0].file_name, name);
  }
  const auto coded = read_manifest(
    object(replaced(first_row, "| one.jpg", "| %20a%7cb%7C%41%20")));
  EXPECT_EQ(coded.found.rows[0].file_name, " a|b|%41 ");
}

TEST(manifest, row_36_is_bounded) {
  EXPECT_EQ(corruption_of(object(std::string(10'000'000, 'a') + "\n")),
            "line 6: the line has more than 65536 bytes");
}

TEST(manifest, row_39_is_of_the_kind_that_is_wanted) {
  const auto x = read_manifest(header("mrt-batch-manifest")
                                 + "https://example.org/a.checkm\n" + eof,
                               manifest_kind::object);
  ASSERT_TRUE(x.corrupt());
  EXPECT_EQ(x.fault->line, 2u);
}

TEST(manifest, for_storage_lists_files_with_what_they_must_be) {
  manifest_row row;
  row.url = "file:///x";
  row.expected = *make_digest("sha-256", std::string(64, 'a'));
  row.size = 3;
  row.file_name = " a|b ";
  const auto text = write_storage_manifest({row});
  EXPECT_NE(text.find("file:///x | sha-256 | " + std::string(64, 'a')
                      + " | 3 | | %20a%7cb%20 | \n#%eof\n"),
            std::string::npos)
    << text;
}

} // namespace depositd::merritt
