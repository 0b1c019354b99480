#include "messages/values/submission_body.hpp"

#include "messages/values/codec.hpp"
#include "messages/values/events.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace depositd {
namespace {

TEST(submission_body, gives_back_what_was_put_in) {
  const submission x{"a b.xml", "doMDUpload",         "me@example.org/role",
                     "http",    std::string(64, 'f'), 123'456'789, "00-4bf9"};
  const auto read = decode_submission_body(encode_submission_body(x));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->submission, x);
  EXPECT_EQ(read->body, "");
}

TEST(submission_body, of_nothing_is_an_envelope) {
  const auto read = decode_submission_body(encode_submission_body({}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->submission, submission{});
}

TEST(submission_body, takes_the_post_along) {
  const submission x{"f", "o", "l", "kafka", "", 3, "00-4bf9"};
  const std::string post{"\x01\0\x02", 3};
  const auto read = decode_submission_body(encode_submission_body(x, post));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->submission, x);
  EXPECT_EQ(read->body, post);
}

TEST(submission_body, shows_its_post_without_being_decoded) {
  const submission x{"f", "o", "l", "http", "", 3, "00-4bf9"};
  const std::string post{"\x01\0\x02", 3};
  const auto bytes = encode_submission_body(x, post);
  EXPECT_EQ(file_in_submission_body(bytes), post);
  EXPECT_EQ(file_in_submission_body(encode_submission_body(x)), "");
  for (std::size_t size = 0; size < bytes.size() - post.size(); ++size)
    EXPECT_EQ(file_in_submission_body(std::string_view{bytes}.substr(0, size)),
              "");
  EXPECT_EQ(file_in_submission_body({"\x04\xff\xff\xff\xff", 5}), "");
}

TEST(submission_body, cut_before_its_post_is_malformed) {
  const auto bytes =
    encode_submission_body({"f", "o", "l", "s", "b", 300, ""}, "post");
  for (std::size_t size = 0; size < bytes.size() - 4; ++size) {
    const auto read = decode_submission_body(std::string{bytes.data(), size});
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error(), ec::malformed) << size;
  }
}

TEST(submission_body, cut_anywhere_is_malformed) {
  const auto bytes = encode_submission_body({"f", "o", "l", "s", "b", 300, ""});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto read = decode_submission_body(std::string{bytes.data(), size});
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error(), ec::malformed) << size;
  }
}

TEST(submission_body, is_no_other_event) {
  std::string bytes;
  encode(event{server_changed{}}, bytes);
  const auto read = decode_submission_body(bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), ec::malformed);
}

TEST(submission_body, of_before_submissions_had_a_trace_is_one) {
  const std::string event{"\x01\0\0\0"
                          "\x01" "f" "\x01o" "\x01l" "\x01s" "\x01" "b" "\x03",
                          15};
  const submission x{"f", "o", "l", "s", "b", 3, ""};
  const auto bare = decode_submission_body(event);
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->submission, x);
  EXPECT_EQ(bare->body, "");
  const auto full =
    decode_submission_body(std::string{"\x02\x0f\0\0\0", 5} + event + "post");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->submission, x);
  EXPECT_EQ(full->body, "post");
}

RC_GTEST_PROP(submission_body, keeps_any_text, (const std::string& text)) {
  const submission x{text, text, text, text, text, text.size(), text};
  const auto read = decode_submission_body(encode_submission_body(x));
  RC_ASSERT(static_cast<bool>(read));
  RC_ASSERT(read->submission == x);
}

} // namespace
} // namespace depositd
