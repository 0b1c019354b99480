// SQS on a server that checks signatures.

#include "adapters/sources/web/sqs_reader.hpp"
#include "tests/adapters/sources/web/sqs_queue.hpp"

#include <optional>

namespace depositd::sources {

namespace {

class sqs_server_test : public ::testing::Test {
protected:
  void SetUp() override {
    if (!sqs_installed())
      GTEST_SKIP() << "SQS CANNOT RUN HERE";
    queue.emplace();
    settings = web_source(source_kind::sqs, queue->url());
    keys.name_in(settings.from);
  }

  void open() {
    reader = opened(make_sqs_reader("src", settings, web_context()));
  }

  /// Asks until something has come: each question waits a while.
  pulled_batch await() {
    pulled_batch out;
    for (int i = 0; i < 100 && out.records.empty() && out.bad.empty(); ++i)
      out = next(*reader);
    return out;
  }

  using texts = std::vector<std::string>;

  std::optional<sqs_queue> queue;
  key_files keys;
  source_settings settings;
  std::unique_ptr<source_reader> reader;
};

} // namespace

TEST_F(sqs_server_test, messages_go_when_they_are_applied) {
  open();
  for (int i = 0; i < 25; ++i)
    queue->send("{ \"n\": " + std::to_string(i) + " }");
  const auto batch = next(*reader, 23);
  ASSERT_EQ(batch.records.size(), 23u);
  EXPECT_EQ(batch.records[0].body.substr(0, 5), "{\"n\":");
  EXPECT_EQ(queue->left(), 25);
  const auto error = reader->applied(keys_of(batch));
  EXPECT_FALSE(error) << render(error);
  EXPECT_EQ(queue->left(), 2);
  EXPECT_EQ(await().records.size(), 2u);
}

TEST_F(sqs_server_test, messages_need_not_be_json) {
  open();
  const auto id = queue->send("five \"o'clock\" \u00e9");
  const auto batch = await();
  ASSERT_EQ(keys_of(batch), texts{id});
  EXPECT_EQ(batch.records[0].body, "\"five \\\"o'clock\\\" \u00e9\"");
}

TEST_F(sqs_server_test, a_message_that_comes_again_is_deleted_all_the_same) {
  settings.from.visibility_timeout_s = 1;
  open();
  const auto id = queue->send("1");
  EXPECT_EQ(keys_of(await()), texts{id});
  EXPECT_EQ(keys_of(await()), texts{id}) << "it was seen for a second only";
  const auto error = reader->applied({id});
  EXPECT_FALSE(error) << render(error);
  EXPECT_EQ(queue->left(), 0);
}

TEST_F(sqs_server_test, a_message_that_was_applied_before_a_start_goes_too) {
  settings.from.visibility_timeout_s = 1;
  open();
  const auto id = queue->send("1");
  EXPECT_EQ(keys_of(await()), texts{id});
  open();
  EXPECT_FALSE(reader->applied({id})) << "it does not know it yet";
  EXPECT_EQ(queue->left(), 1);
  EXPECT_EQ(keys_of(await()), texts{id});
  EXPECT_FALSE(reader->applied({id}));
  EXPECT_EQ(queue->left(), 0);
}

TEST_F(sqs_server_test, a_message_beyond_limits_stays_there) {
  open();
  const auto id = queue->send(std::string(100'000, 'x'));
  const auto batch = await();
  EXPECT_TRUE(batch.records.empty());
  ASSERT_EQ(batch.bad.size(), 1u);
  EXPECT_EQ(batch.bad[0].key, id);
  EXPECT_FALSE(reader->applied({id}));
  EXPECT_EQ(queue->left(), 1);
}

TEST_F(sqs_server_test, all_messages_of_a_key_go_together) {
  settings.key = "n";
  open();
  queue->send(R"({"n":7})");
  queue->send(R"({"n":7})");
  queue->send(R"({"n":8})");
  EXPECT_EQ(next(*reader).records.size(), 3u);
  EXPECT_FALSE(reader->applied({"7"}));
  EXPECT_EQ(queue->left(), 1);
}

TEST_F(sqs_server_test, a_wrong_key_is_refused_and_may_be_replaced) {
  open();
  queue->send("1");
  keys.spoil();
  const auto out = asked(*reader);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_NE(render(out.error()).find("403"), std::string::npos)
    << render(out.error());
  keys.mend();
  const auto batch = await();
  EXPECT_EQ(batch.records.size(), 1u);
  keys.spoil();
  EXPECT_EQ(reader->applied(keys_of(batch)), ec::store_failed);
  EXPECT_EQ(queue->left(), 1);
  keys.mend();
  EXPECT_FALSE(reader->applied(keys_of(batch)));
  EXPECT_EQ(queue->left(), 0);
}

TEST_F(sqs_server_test, a_queue_that_is_not_there_is_named_so) {
  settings.from.url += "-not";
  open();
  const auto out = asked(*reader);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::not_found) << render(out.error());
}

TEST_F(sqs_server_test, an_empty_queue_brings_nothing) {
  open();
  const auto batch = next(*reader);
  EXPECT_TRUE(batch.records.empty());
  EXPECT_FALSE(batch.has_cursor);
}

} // namespace depositd::sources
