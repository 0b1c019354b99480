#include "messages/values/submission_body.hpp"

#include "messages/values/codec.hpp"
#include "messages/values/events.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace depositd {
namespace {

TEST(envelope, gives_back_what_was_put_in) {
  const submission x{"a b.xml", "doMDUpload",         "me@example.org/role",
                     "http",    std::string(64, 'f'), 123'456'789, "00-4bf9"};
  const auto read = decode_envelope(encode_envelope(x));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->particulars, x);
  EXPECT_EQ(read->post, "");
}

TEST(envelope, of_nothing_is_an_envelope) {
  const auto read = decode_envelope(encode_envelope({}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->particulars, submission{});
}

TEST(envelope, takes_the_post_along) {
  const submission x{"f", "o", "l", "kafka", "", 3, "00-4bf9"};
  const std::string post{"\x01\0\x02", 3};
  const auto read = decode_envelope(encode_envelope(x, post));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->particulars, x);
  EXPECT_EQ(read->post, post);
}

TEST(envelope, cut_before_its_post_is_malformed) {
  const auto bytes
    = encode_envelope({"f", "o", "l", "s", "b", 300, ""}, "post");
  for (std::size_t size = 0; size < bytes.size() - 4; ++size) {
    const auto read = decode_envelope(std::string{bytes.data(), size});
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error(), ec::malformed) << size;
  }
}

TEST(envelope, cut_anywhere_is_malformed) {
  const auto bytes = encode_envelope({"f", "o", "l", "s", "b", 300, ""});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto read = decode_envelope(std::string{bytes.data(), size});
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error(), ec::malformed) << size;
  }
}

TEST(envelope, is_no_other_event) {
  std::string bytes;
  encode(event{server_changed{}}, bytes);
  const auto read = decode_envelope(bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), ec::malformed);
}

TEST(envelope, of_before_submissions_had_a_trace_is_one) {
  const std::string event{"\x01\0\0\0"
                          "\x01" "f" "\x01o" "\x01l" "\x01s" "\x01" "b" "\x03",
                          15};
  const submission x{"f", "o", "l", "s", "b", 3, ""};
  const auto bare = decode_envelope(event);
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->particulars, x);
  EXPECT_EQ(bare->post, "");
  const auto full
    = decode_envelope(std::string{"\x02\x0f\0\0\0", 5} + event + "post");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->particulars, x);
  EXPECT_EQ(full->post, "post");
}

RC_GTEST_PROP(envelope, keeps_any_text, (const std::string& text)) {
  const submission x{text, text, text, text, text, text.size(), text};
  const auto read = decode_envelope(encode_envelope(x));
  RC_ASSERT(static_cast<bool>(read));
  RC_ASSERT(read->particulars == x);
}

} // namespace
} // namespace depositd
