// Hexadecimal digits, base64, UTF-8 and times as texts.

#include "messages/values/base64.hpp"
#include "messages/values/blanks.hpp"
#include "messages/values/cut_text.hpp"
#include "messages/values/hex.hpp"
#include "messages/values/lower_case.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/utf8.hpp"
#include "messages/values/uuid.hpp"

#include <gtest/gtest.h>

using namespace depositd;

TEST(cut_text, ends_with_no_half_character) {
  EXPECT_EQ(beginning_of("abc", 3), "abc");
  EXPECT_EQ(beginning_of("abcd", 3), "abc");
  EXPECT_EQ(beginning_of("ab\u20ac", 5), "ab\u20ac");
  for (std::size_t bytes_max : {2u, 3u, 4u})
    EXPECT_EQ(beginning_of("ab\u20acx", bytes_max), "ab");
  EXPECT_EQ(beginning_of("\u20ac", 2), "");
  EXPECT_EQ(beginning_of("\U0001f600x", 3), "");
  EXPECT_EQ(beginning_of("abc", 0), "");
}

TEST(cut_text, takes_what_is_no_utf8_as_it_is) {
  EXPECT_EQ(beginning_of("a\x80\x80\x80\x80\x80\x80", 5), "a\x80\x80\x80\x80");
  EXPECT_EQ(beginning_of("\xff\xff\xff", 2), "\xff\xff");
}

TEST(hex, writes_two_lower_case_digits_per_byte) {
  EXPECT_EQ(to_hex(""), "");
  EXPECT_EQ(to_hex(std::string{"\0\x7f\xff", 3}), "007fff");
  std::string out = "x";
  append_hex(out, '\xa9');
  EXPECT_EQ(out, "xa9");
}

TEST(hex, writes_numbers_with_leading_zeros) {
  std::string out(16, ' ');
  put_hex(out.data(), 0xabcdef, 16);
  EXPECT_EQ(out, "0000000000abcdef");
}

TEST(hex, reads_digits_of_either_case_and_nothing_else) {
  std::uint64_t number = 0;
  EXPECT_TRUE(take_hex("00aBcDeF", number));
  EXPECT_EQ(number, 0xabcdefu);
  EXPECT_TRUE(take_hex("ffffffffffffffff", number));
  EXPECT_EQ(number, ~std::uint64_t{0});
  for (const auto* text :
       {"", "0x1", "-1", "+1", " 1", "1 ", "g", "1g", "10000000000000000"})
    EXPECT_FALSE(take_hex(text, number)) << text;
  std::uint8_t byte = 0;
  EXPECT_FALSE(take_hex("100", byte));
}

TEST(uuid, of_a_digest_has_its_bits_and_version_8) {
  const std::string digest =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  EXPECT_EQ(uuid_of_digest(digest), "e3b0c442-98fc-8c14-9afb-f4c8996fb924");
  for (const char digit : std::string{"0123456789abcdef"}) {
    const auto out = uuid_of_digest(std::string(32, digit));
    EXPECT_TRUE(legal_uuid(out)) << out;
    EXPECT_EQ(out[14], '8');
    EXPECT_NE(std::string{"89ab"}.find(out[19]), std::string::npos) << out;
  }
}

TEST(base64, reads_what_it_writes) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
    bytes += static_cast<char>(i * 37);
  }
  EXPECT_EQ(encode_base64("secret!"), "c2VjcmV0IQ==");
  EXPECT_EQ(encode_base64("\xfb\xff"), "+/8=");
}

TEST(base64, has_one_text_per_value) {
  for (const auto* text : {"c2Vj=", "c2VjcmV0IQ", "c2VjcmV0IR==", "c2Vj\n",
                           "====", "a===", "c2 j", "-_8="})
    EXPECT_FALSE(decode_base64(text)) << text;
}

TEST(utf8, finds_the_first_byte_that_belongs_to_no_character) {
  constexpr auto npos = std::string_view::npos;
  const std::pair<std::string, std::size_t> texts[] = {
    {"", npos},
    {std::string{"a\0b", 3}, npos},
    {"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf", npos},
    {"a\xff", 1},
    {"ab\xc3", 2},          // cut
    {"\xe4\xb8", 0},        // cut
    {"a\x80", 1},           // no beginning
    {"\xc0\x80", 0},        // overlong
    {"\xe0\x80\x80", 0},    // overlong
    {"\xed\xa0\x80", 0},    // surrogate
    {"\xf4\x90\x80\x80", 0} // behind the last
  };
  for (const auto& [text, at] : texts) {
    EXPECT_EQ(find_invalid_utf8(text), at) << to_hex(text);
    if (at == 0) {
      EXPECT_EQ(first_character(text).bytes, 0u) << to_hex(text);
    }
  }
}

TEST(utf8, takes_and_gives_characters) {
  for (const char32_t code : {U'a', U'\0', U'\x7f', U'\x80', U'\x7ff', U'\x800',
                              U'\xffff', U'\x10000', U'\x10ffff'}) {
    std::string text;
    append_utf8(text, code);
    const auto size = text.size();
    const auto first = first_character(text += "more");
    EXPECT_EQ(first.code, code);
    EXPECT_EQ(first.bytes, size);
  }
  std::string none;
  append_utf8(none, 0xd800);
  EXPECT_EQ(none, "");
}

TEST(blanks, go_from_both_ends) {
  EXPECT_EQ(trimmed(" \ta \tb\t "), "a \tb");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\ra\n"), "\ra\n");
  EXPECT_EQ(trimmed("\ra\n", "\r\n"), "a");
}

TEST(lower_case, is_of_ascii_alone) {
  EXPECT_EQ(lower_case("@AZ[\xC3\x84 az09"), "@az[\xC3\x84 az09");
  EXPECT_TRUE(same_but_for_case("Content-Type", "cONTENT-tYPE"));
  EXPECT_FALSE(same_but_for_case("a", "ab"));
  EXPECT_FALSE(same_but_for_case("\xC3\x84", "\xC3\xA4"));
  EXPECT_FALSE(same_but_for_case("@", "`"));
}

TEST(time_text, writes_milliseconds_in_utc) {
  EXPECT_EQ(format_utc(never), "");
  EXPECT_EQ(format_utc(1'772'357'400'125'999), "2026-03-01T09:30:00.125Z");
}

TEST(time_text, reads_what_people_write) {
  const micros day = micros{1'772'323'200} * 1'000'000;
  const micros minute = day + micros{9 * 60 + 30} * 60 * 1'000'000;
  const std::pair<const char*, micros> texts[] = {
    {"2026-03-01", day},
    {"2026-03-01Z", day},
    {"2026-03-01T09:30", minute},
    {"2026-03-01 09:30Z", minute},
    {"2026-03-01T09:30:07", minute + 7'000'000},
    {"2026-03-01T09:30:00.1", minute + 100'000},
    {"2026-03-01T09:30:00.125Z", minute + 125'000},
    {"2026-03-01 09:30:00.123456789Z", minute + 123'456},
    {"1970-01-01T00:00:00.000001", 1},
    {"9999-12-31T23:59:59", micros{253'402'300'799} * 1'000'000},
    {"0001-01-01", micros{-62'135'596'800} * 1'000'000}};
  for (const auto& [text, at] : texts)
    EXPECT_EQ(parse_utc(text), at) << text;
}

TEST(time_text, refuses_what_is_no_time) {
  for (const auto* text : {"",
                           "Z",
                           "today",
                           "2026",
                           "2026-03",
                           "2026-3-1",
                           "2026-13-01",
                           "2026-02-30",
                           "2026-00-10",
                           "26-03-01",
                           "-026-03-01",
                           "+026-03-01",
                           "2026-03-01T",
                           "2026-03-01T09",
                           "2026-03-01T9:30:00.5",
                           "2026-03-01T24:00",
                           "2026-03-01T09:60",
                           "2026-03-01T09:30:60",
                           "2026-03-01T09:30:00.",
                           "2026-03-01T09:30:00.1234567890",
                           "2026-03-01T09:30:00.12345678x",
                           "2026-03-01T09:30:00,5",
                           "2026-03-01T09:30:00+01:00",
                           "2026-03-01ZZ",
                           "2026-03-01  09:30",
                           " 2026-03-01",
                           "2026-03-01 "}) {
    const auto x = parse_utc(text);
    ASSERT_FALSE(x) << text;
    EXPECT_EQ(x.error(), ec::invalid_argument);
  }
  EXPECT_EQ(render(parse_utc("soon").error()),
            "\"soon\" is no time like 2026-03-01T09:30:00Z");
}
