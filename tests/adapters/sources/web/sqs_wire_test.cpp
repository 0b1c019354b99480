#include "adapters/sources/web/sqs_wire.hpp"

#include <gtest/gtest.h>

namespace depositd::sources::sqs {

TEST(sqs_wire, asks_for_messages) {
  EXPECT_EQ(write_receive("http://q/\"1", {7, 1, 300}),
            R"({"QueueUrl":"http://q/\"1","MaxNumberOfMessages":7,)"
            R"("WaitTimeSeconds":1,"VisibilityTimeout":300})");
}

TEST(sqs_wire, reads_messages_and_passes_over_the_rest) {
  const auto out =
    read_messages(R"({"x":1,"Messages":[{"MessageId":"i","ReceiptHandle":"r",)"
                  R"("Attributes":{"a":[1]},"Body":"a\u00e9\n"},)"
                  R"({"Body":"","ReceiptHandle":"s","MessageId":"j"}]})");
  ASSERT_TRUE(out) << render(out.error());
  ASSERT_EQ(out->size(), 2u);
  EXPECT_EQ(out->at(0).id, "i");
  EXPECT_EQ(out->at(0).receipt, "r");
  EXPECT_EQ(out->at(0).body, "a\u00e9\n");
  EXPECT_EQ(out->at(1).id, "j");
  EXPECT_EQ(out->at(1).body, "");
}

TEST(sqs_wire, takes_no_messages_in_three_spellings) {
  for (const auto* text :
       {"{}", R"({"Messages":null})", R"({"Messages":[]})"}) {
    const auto out = read_messages(text);
    ASSERT_TRUE(out) << text << render(out.error());
    EXPECT_TRUE(out->empty()) << text;
  }
}

TEST(sqs_wire, does_not_take_other_documents_for_messages) {
  for (const auto* text :
       {"", "<html/>", "[]", "{} {}", R"({"Messages":{}})",
        R"({"Messages":[1]})", R"({"Messages":[{"MessageId":"i"}]})",
        R"({"Messages":[{"ReceiptHandle":"r"}]})",
        R"({"Messages":[{"MessageId":1,"ReceiptHandle":"r"}]})"})
    EXPECT_EQ(read_messages(text).error(), ec::malformed) << text;
}

TEST(sqs_wire, asks_to_delete_by_position) {
  const std::vector<held_messages::one> two{{"i", "r\""}, {"j", "s"}};
  EXPECT_EQ(write_deletion("q", two),
            R"({"QueueUrl":"q","Entries":[{"Id":"0","ReceiptHandle":"r\""},)"
            R"({"Id":"1","ReceiptHandle":"s"}]})");
}

TEST(sqs_wire, reads_what_was_deleted) {
  const auto out = read_deletion(
    R"({"Failed":[{"Id":"0","SenderFault":false,"Code":"InternalError",)"
    R"("Message":null}],"Successful":[{"Id":"1"}]})",
    2);
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->done, std::vector<std::size_t>{1});
  ASSERT_EQ(out->failed.size(), 1u);
  EXPECT_EQ(out->failed[0].at, 0u);
  EXPECT_EQ(out->failed[0].why.code, "InternalError");
  EXPECT_EQ(out->failed[0].why.message, "");
}

TEST(sqs_wire, does_not_take_other_documents_for_deletions) {
  for (const auto* text :
       {"", "{}", R"({"Successful":[{"Id":"0"}]})",
        R"({"Successful":[{"Id":"0"},{"Id":"2"}]})",
        R"({"Successful":[{"Id":"0"},{"Id":"x"}]})",
        R"({"Successful":[{"Id":"0"},{"Id":"1"}],"Failed":[{"Id":"1"}]})",
        R"({"Successful":[{},{}]})"})
    EXPECT_EQ(read_deletion(text, 2).error(), ec::malformed) << text;
}

TEST(sqs_wire, reads_why_something_was_refused) {
  const auto out = read_refusal(
    R"({"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"because"})");
  EXPECT_EQ(out.code, "QueueDoesNotExist");
  EXPECT_EQ(out.message, "because");
  const auto other =
    read_refusal(R"({"__type":"Throttled","Message":"m","more":"x"})");
  EXPECT_EQ(other.code, "Throttled");
  EXPECT_EQ(other.message, "m");
  for (const auto* text : {"", "<html/>", R"({"__type":)"}) {
    EXPECT_EQ(read_refusal(text).code, "") << text;
    EXPECT_EQ(read_refusal(text).message, "") << text;
  }
}

} // namespace depositd::sources::sqs
