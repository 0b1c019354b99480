#include "adapters/bagit/lines.hpp"
#include "adapters/bagit/text_decoding.hpp"
#include "adapters/bagit/text_encoding.hpp"

#include <gtest/gtest.h>

namespace depositd::bagit {

namespace {

const std::string md5 = "d41d8cd98f00b204e9800998ecf8427e";

std::vector<std::string> lines_of(text_encoding encoding, std::string_view text,
                                  std::size_t piece) {
  std::vector<std::string> out;
  line_decoder lines{encoding};
  const auto take = [&](std::string_view line, std::uint64_t) {
    out.emplace_back(line);
  };
  for (std::size_t i = 0; i < text.size(); i += piece)
    if (!lines.add(text.substr(i, piece), take))
      return {"fault: " + lines.fault()};
  if (!lines.finish(take))
    return {"fault: " + lines.fault()};
  return out;
}

} // namespace

TEST(lines, end_in_every_way_whatever_the_pieces) {
  const std::vector<std::string> expected = {"a", "b", "", "c", "d"};
  for (const std::size_t piece : {1, 2, 3, 100})
    EXPECT_EQ(lines_of(text_encoding::utf8, "a\nb\r\n\r\nc\rd", piece),
              expected);
}

TEST(lines, of_utf16_are_read_in_either_order_of_bytes) {
  using std::string_literals::operator""s;
  const std::vector<std::string> expected = {"a", "\xf0\x9f\x98\x80"};
  for (const std::size_t piece : {1, 3, 100}) {
    EXPECT_EQ(
      lines_of(text_encoding::utf16, "\xfe\xff\0a\0\n\xd8\x3d\xde\x00"s, piece),
      expected);
    EXPECT_EQ(lines_of(text_encoding::utf16,
                       "\xff\xfe"
                       "a\0\n\0\x3d\xd8\x00\xde"s,
                       piece),
              expected);
    EXPECT_EQ(lines_of(text_encoding::utf16, "a\0\n\0"s, piece),
              (std::vector<std::string>{"a"}));
  }
}

TEST(lines, are_read_as_they_were_written) {
  const std::vector<std::string> latin = {"Label: caf\xc3\xa9", "\xc3\xbf"};
  const std::vector<std::string> any = {"Label: \xe2\x82\xac",
                                        " \xf0\x9f\x98\x80"};
  for (const auto* name : {"UTF-8", "UTF-16", "UTF-16BE", "utf-16le",
                           "ISO-8859-1", "LATIN1"}) {
    const auto encoding = find_encoding(name);
    ASSERT_TRUE(encoding) << name;
    for (const auto& lines : {latin, any}) {
      const auto text = encode_text(lines[0] + "\n" + lines[1], name);
      const bool lacks = encoding == text_encoding::latin1 && lines == any;
      ASSERT_NE(text.has_value(), lacks) << name;
      if (text) {
        EXPECT_EQ(lines_of(*encoding, *text, 100), lines) << name;
      }
    }
  }
  EXPECT_EQ(encode_text("\xc3\xa9", "iso-8859-1"), "\xe9");
  EXPECT_EQ(encode_text("a", "UTF-16"), std::string("\xfe\xff\0a", 4));
  EXPECT_EQ(encode_text("a", "US-ASCII"), "a");
  EXPECT_FALSE(encode_text("\xc3\xa9", "US-ASCII"));
  EXPECT_FALSE(encode_text("a", "EBCDIC"));
  EXPECT_FALSE(encode_text("\xe9", "UTF-8"));
}

TEST(lines, row_30_that_are_not_in_their_encoding_are_refused) {
  using std::string_literals::operator""s;
  const auto is_fault = [](const std::vector<std::string>& x) {
    return x.size() == 1 && x[0].starts_with("fault: ");
  };
  EXPECT_TRUE(is_fault(lines_of(text_encoding::utf8, "caf\xe9\n", 9)));
  EXPECT_TRUE(is_fault(lines_of(text_encoding::utf8, "\xc0\xaf\n", 9)));
  EXPECT_TRUE(is_fault(lines_of(text_encoding::utf8, "\xed\xa0\x80\n", 9)));
  EXPECT_TRUE(is_fault(lines_of(text_encoding::ascii, "caf\xc3\xa9\n", 9)));
  EXPECT_TRUE(is_fault(lines_of(text_encoding::utf16, "\xfe\xff\xdc\x00"s, 9)));
  EXPECT_TRUE(
    is_fault(lines_of(text_encoding::utf16, "\xfe\xff\xd8\x00\0a"s, 9)));
  EXPECT_TRUE(is_fault(lines_of(text_encoding::utf16, "\xfe\xff\0"s, 9)));
  EXPECT_EQ(lines_of(text_encoding::latin1, "caf\xe9\n", 9),
            (std::vector<std::string>{"caf\xc3\xa9"}));
}

TEST(manifest_lines, are_read_with_all_their_oddities) {
  const auto read = [](const std::string& line) {
    return read_manifest_line(line, digest_algorithm::md5, true);
  };
  EXPECT_EQ(read(md5 + "  data/a b")->path, "data/a b");
  EXPECT_EQ(read(md5 + "\tdata/x")->path, "data/x");
  EXPECT_EQ(read(md5 + " *data/x")->path, "data/x");
  EXPECT_TRUE(read(md5 + " *data/x")->binary);
  EXPECT_EQ(read(md5 + " ././data/x")->path, "data/x");
  EXPECT_TRUE(read(md5 + " ./data/x")->dotted);
  EXPECT_EQ(read("D41D8CD98F00B204E9800998ECF8427E data/x")->value.value, md5);
  for (const std::string& bad :
       {std::string{"data/x"}, md5, md5 + "  ", md5.substr(1) + " data/x",
        "g" + md5.substr(1) + " data/x"})
    EXPECT_EQ(read(bad).error(), ec::malformed) << bad;
  EXPECT_EQ(
    read_manifest_line(md5 + " data/x", digest_algorithm::sha224, true).error(),
    ec::malformed);
}

TEST(tags, continue_over_lines_and_may_repeat) {
  tag_reader x;
  for (const auto* line : {"A: one", "  two", "", "B :  three", "a:", "\tfour"})
    EXPECT_TRUE(x.add(line)) << line;
  EXPECT_EQ(x.tags, (std::vector<tag>{
                      {"A", "one two"}, {"B", "three"}, {"a", "four"}}));
  EXPECT_EQ(values_of(x.tags, "A"),
            (std::vector<std::string>{"one two", "four"}));
  EXPECT_FALSE(x.add("no colon"));
  EXPECT_FALSE(x.add(": no label"));
  EXPECT_FALSE(tag_reader{}.add("  nothing to continue"));
}

TEST(oxums, are_two_numbers) {
  EXPECT_EQ(read_oxum("12.3")->bytes, 12u);
  EXPECT_EQ(read_oxum("12.3")->files, 3u);
  for (const auto* bad :
       {"", "12", "12.", ".3", "1.2.3", "-1.2", "99999999999999999999.1"})
    EXPECT_FALSE(read_oxum(bad)) << bad;
}

} // namespace depositd::bagit
