// What is archived, and servers that bring it back.

#include "adapters/stores/s3/s3_objects.hpp"
#include "tests/adapters/stores/s3/scripted_bucket.hpp"

#include <gtest/gtest.h>

namespace depositd::s3 {

namespace {

using testing::scripted_server;

/// What a client hears from a server that answers so.
caf::expected<recall> heard(const std::string& answer,
                            std::string* asked = nullptr) {
  scripted_server server{[&](const std::string&) { return answer; }};
  client bucket{options_for(server)};
  auto out = bucket.recall_key("a/b", 7);
  if (asked != nullptr && !server.requests().empty())
    *asked = server.requests().front();
  EXPECT_EQ(server.requests().size(), 1u) << "once, whatever it says";
  return out;
}

} // namespace

TEST(s3_recall, asks_for_so_many_days) {
  std::string asked;
  ASSERT_TRUE(heard(answer_of("202 Accepted", ""), &asked));
  EXPECT_EQ(line_of(asked), "POST /bucket/a/b?restore=");
  EXPECT_NE(asked.find("<Days>7</Days>"), std::string::npos) << asked;
}

TEST(s3_recall, row_p26_tells_begun_on_way_busy_and_at_hand_apart) {
  EXPECT_EQ(*heard(answer_of("202 Accepted", "")), recall::begun);
  EXPECT_EQ(*heard(answer_of("409 Conflict",
                             error_document("RestoreAlreadyInProgress"))),
            recall::on_way);
  EXPECT_EQ(
    *heard(answer_of("503 Service Unavailable",
                     error_document("GlacierExpeditedRetrievalNotAvailable"))),
    recall::too_busy);
  EXPECT_EQ(*heard(answer_of("200 OK", "")), recall::at_hand);
  EXPECT_EQ(
    *heard(answer_of("403 Forbidden", error_document("InvalidObjectState"))),
    recall::at_hand)
    << "it is in no archive";
}

TEST(s3_recall, row_p27_what_is_not_there_is_said) {
  const auto out =
    heard(answer_of("404 Not Found", error_document("NoSuchKey")));
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::not_found);
}

TEST(s3_recall, other_refusals_are_errors) {
  const auto out =
    heard(answer_of("403 Forbidden", error_document("AccessDenied")));
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
}

} // namespace depositd::s3
