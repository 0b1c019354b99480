// What a mail's head may say, and what it says.

#include "adapters/notifying/mail_headers.hpp"
#include "messages/values/base64.hpp"
#include "messages/values/utf8.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace depositd {

namespace {

mail small_mail() {
  return {.id = "report-bid-1-2",
          .to = {"ann@example.org"},
          .subject = "Ingest: OK",
          .text = "line one",
          .attachments = {}};
}

} // namespace

TEST(mail_headers, encode_what_is_no_plain_line) {
  const std::string longest(900, 'x');
  EXPECT_EQ(header_text(longest), longest);
  for (const auto& text :
       {longest + 'x', std::string{"=?UTF-8?B?Zm9v?="}, std::string{"a\x7f"}})
    EXPECT_TRUE(header_text(text).starts_with("=?UTF-8?B?")) << text;
}

TEST(mail_faults, are_found_in_every_part) {
  const auto is_fine = [](auto change) {
    auto x = small_mail();
    change(x);
    return mail_fault(x).empty();
  };
  EXPECT_TRUE(is_fine([](auto&) {}));
  EXPECT_TRUE(
    is_fine([](auto& x) { x.to.assign(mail_recipients_max, "a@b"); }));
  EXPECT_FALSE(is_fine([](auto& x) {
    x.to.assign(mail_recipients_max, "a@b");
    x.bcc = {"a@b"};
  }));
  EXPECT_TRUE(is_fine([](auto& x) { x.id.assign(200, 'i'); }));
  EXPECT_FALSE(is_fine([](auto& x) { x.id.assign(201, 'i'); }));
  EXPECT_FALSE(is_fine([](auto& x) { x.id.clear(); }));
  EXPECT_FALSE(is_fine([](auto& x) { x.subject = "a\x7f"; }));
  EXPECT_FALSE(is_fine([](auto& x) { x.to = {"a\x7f@b"}; }));
  for (const auto* name : {"a\"b", "a\\b", "a/b", "a\x7f"})
    EXPECT_FALSE(is_fine([&](auto& x) { x.attachments = {{name, "a/b", ""}}; }))
      << name;
  const auto with_bytes = [&](std::size_t count) {
    return is_fine([&](auto& x) {
      x.attachments = {{"a", "a/b", std::string(count, 'x')}};
    });
  };
  EXPECT_TRUE(with_bytes(1'000));
  EXPECT_FALSE(with_bytes(mail_bytes_max));
}

TEST(mail_headers, never_cut_a_character) {
  std::string subject;
  for (int i = 0; i < 60; ++i)
    subject += "a€";
  const auto text = header_text(subject);
  std::string back;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find("\r\n ", at), text.size());
    const auto word = text.substr(at, end - at);
    EXPECT_LE(word.size(), 75u);
    const auto bytes = decode_base64(word.substr(10, word.size() - 12));
    ASSERT_TRUE(bytes);
    EXPECT_EQ(find_invalid_utf8(*bytes), std::string::npos) << word;
    back += *bytes;
    at = end + 3;
  }
  EXPECT_EQ(back, subject);
}

} // namespace depositd
