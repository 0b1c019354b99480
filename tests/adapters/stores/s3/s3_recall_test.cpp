// What is archived, and servers that bring it back.

#include "adapters/stores/objects/inventory.hpp"
#include "adapters/stores/objects/storage_root.hpp"
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

/// What is heard of an object of two files, of which a server says so.
caf::expected<recall> heard_of_all(const std::string& first,
                                   const std::string& second) {
  scripted_server server{[&](const std::string& request) {
    const auto line = line_of(request);
    if (line.ends_with("config.json"))
      return answer_of("200 OK", ocfl::root_options.text);
    if (line.ends_with("ocfl_1.1"))
      return answer_of("200 OK", ocfl::root_declaration.text);
    if (line.starts_with("POST"))
      return line.find("/b?") == line.npos ? first : second;
    const auto key = "<Contents><Key>" + ocfl::object_folder("o");
    const auto size = "</Key><Size>1</Size></Contents>";
    return answer_of("200 OK", "<ListBucketResult>" + key + "/a" + size + key
                                 + "/b" + size + "</ListBucketResult>");
  }};
  const auto objects = open_s3_objects(options_for(server));
  if (!objects)
    return objects.error();
  return (*objects)->bring_back("o", "", 7);
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

TEST(s3_recall, row_p26_the_least_is_said_of_what_a_whole_object_is_made_of) {
  const auto begun = answer_of("202 Accepted", "");
  const auto at_hand = answer_of("200 OK", "");
  for (const auto& [first, second] :
       {std::pair{begun, at_hand}, std::pair{at_hand, begun}}) {
    const auto out = heard_of_all(first, second);
    ASSERT_TRUE(out) << render(out.error());
    EXPECT_EQ(*out, recall::begun);
  }
  const auto refused = heard_of_all(
    at_hand, answer_of("403 Forbidden", error_document("AccessDenied")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::store_failed);
}

} // namespace depositd::s3
