#include "adapters/processing/stages/bucket_room.hpp"

#include "tests/support/captured_log.hpp"

#include <gtest/gtest.h>

namespace depositd::stages {

namespace {

class bucket_room_test : public ::testing::Test {
protected:
  verdict ask(bool needs = true) {
    const handle_item item;
    const stage_settings stage;
    const auto handler = while_taken(
      {{bucket, [needs](const stage_task&) { return needs; }}},
      [this](const stage_task&) {
        if (puts)
          bucket->put_ended(10, full);
        if (slow_down)
          bucket->was_busy(slow_down);
        auto out = ended(says, "its own words");
        out.document = "changed";
        return out;
      });
    last = handler({item, stage});
    return last.says;
  }

  const caf::error refusal =
    caf::make_error(ec::store_failed, std::string{"QuotaExceeded"});
  std::chrono::steady_clock::time_point now{};
  std::shared_ptr<bucket_room> bucket =
    std::make_shared<bucket_room>("storage.vault", [this] { return now; });
  bool puts = true;
  caf::error full;
  caf::error slow_down;
  verdict says = verdict::retry;
  outcome last;
};

TEST_F(bucket_room_test, what_fails_though_there_is_room_fails) {
  EXPECT_EQ(ask(), verdict::retry);
  says = verdict::failed;
  EXPECT_EQ(ask(), verdict::failed);
  EXPECT_EQ(last.document, "changed");
}

TEST_F(bucket_room_test, what_a_full_bucket_refuses_waits_as_it_was) {
  full = refusal;
  for (const auto each : {verdict::retry, verdict::failed}) {
    says = each;
    EXPECT_EQ(ask(), verdict::not_yet);
    EXPECT_EQ(last.reason, "QuotaExceeded");
    EXPECT_EQ(last.document, "");
  }
  EXPECT_EQ(ask(false), verdict::failed) << "it needs another bucket";
  says = verdict::done;
  EXPECT_EQ(ask(), verdict::done) << "another one took it";
}

TEST_F(bucket_room_test, what_comes_later_and_puts_nothing_is_judged_alone) {
  full = refusal;
  EXPECT_EQ(ask(), verdict::not_yet);
  puts = false;
  EXPECT_EQ(ask(), verdict::retry);
}

TEST_F(bucket_room_test, the_log_says_once_that_there_is_none_and_is_again) {
  const testing::captured_log log;
  for (int i = 0; i < 3; ++i) {
    bucket->put_ended(10, refusal);
    bucket->put_ended(9, {}); // others need less
  }
  EXPECT_EQ(
    log.count("no_room bucket=storage.vault reason=\"QuotaExceeded\""), 1u)
    << log.text();
  EXPECT_EQ(log.count("room_again"), 0u) << log.text();
  for (int i = 0; i < 3; ++i)
    bucket->put_ended(10, {});
  EXPECT_EQ(log.count("room_again bucket=storage.vault"), 1u) << log.text();
  bucket->put_ended(5, refusal);
  bucket->put_ended(5, {});
  EXPECT_EQ(log.count("room_again bucket=storage.vault"), 2u)
    << "what was refused before is over";
}

TEST_F(bucket_room_test, what_a_busy_bucket_refuses_waits_too) {
  const testing::captured_log log;
  puts = false;
  slow_down = caf::make_error(ec::store_failed, std::string{"SlowDown"});
  for (const auto each : {verdict::retry, verdict::failed}) {
    says = each;
    EXPECT_EQ(ask(), verdict::not_yet);
    EXPECT_EQ(last.reason, "SlowDown");
  }
  EXPECT_EQ(ask(false), verdict::failed) << "it needs another bucket";
  const auto said = "bucket_busy bucket=storage.vault reason=\"SlowDown\"";
  EXPECT_EQ(log.count(said), 1u) << log.text();
  now += bucket_room::patience;
  EXPECT_EQ(ask(), verdict::not_yet);
  EXPECT_EQ(log.count(said), 2u) << log.text();
  slow_down = {};
  EXPECT_EQ(ask(), verdict::failed);
  EXPECT_EQ(log.count("no_room"), 0u) << log.text();
}

TEST_F(bucket_room_test, is_not_called_full_for_what_nobody_asks_any_more) {
  const testing::captured_log log;
  bucket->put_ended(10, refusal);
  now += bucket_room::patience;
  bucket->put_ended(1, {});
  EXPECT_EQ(log.count("room_again bucket=storage.vault"), 1u) << log.text();
}

} // namespace

} // namespace depositd::stages
