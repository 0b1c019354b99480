#include "adapters/processing/stages/while_there.hpp"

#include "tests/support/captured_log.hpp"

#include <gtest/gtest.h>

namespace depositd::stages {

namespace {

class while_there_test : public ::testing::Test {
protected:
  verdict ask() {
    const handle_item item;
    const stage_settings stage;
    const auto handler = while_there([this] { return away; },
                                     [this](const stage_task&) {
                                       ++worked;
                                       away = becomes;
                                       return ended(says);
                                     });
    return handler({item, stage}).says;
  }

  const caf::error gone = caf::make_error(ec::store_failed, "it is away");
  caf::error away;    ///< before the work
  caf::error becomes; ///< meanwhile
  verdict says = verdict::failed;
  int worked = 0;
};

TEST_F(while_there_test, work_says_how_it_ended) {
  EXPECT_EQ(ask(), verdict::failed);
  says = verdict::done;
  EXPECT_EQ(ask(), verdict::done);
}

TEST_F(while_there_test, nothing_is_done_while_it_is_away) {
  away = gone;
  EXPECT_EQ(ask(), verdict::not_yet);
  EXPECT_EQ(worked, 0);
}

TEST_F(while_there_test, nothing_fails_for_what_went_away_meanwhile) {
  becomes = gone;
  for (const auto each : {verdict::failed, verdict::rejected, verdict::retry}) {
    says = each;
    away = {};
    EXPECT_EQ(ask(), verdict::not_yet);
  }
  EXPECT_EQ(worked, 3);
  away = {};
  says = verdict::done;
  EXPECT_EQ(ask(), verdict::done) << "what is done is done";
}

TEST_F(while_there_test, the_log_says_once_that_it_is_away_and_is_back) {
  const testing::captured_log log;
  const auto look = telling([this] { return away; }, "disk");
  EXPECT_FALSE(look());
  away = gone;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(look(), ec::store_failed);
  EXPECT_EQ(log.count("disk_away reason=\"it is away\""), 1u) << log.text();
  away = {};
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(look());
  EXPECT_EQ(log.count("disk_back"), 1u) << log.text();
}

} // namespace

} // namespace depositd::stages
