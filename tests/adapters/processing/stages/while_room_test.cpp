#include "adapters/processing/stages/while_room.hpp"

#include "tests/support/captured_log.hpp"

#include <gtest/gtest.h>

namespace depositd::stages {

namespace {

class while_room_test : public ::testing::Test {
protected:
  verdict ask(std::optional<std::uint64_t> needs) {
    const handle_item item;
    const stage_settings stage;
    const auto handler = while_room(
      {{disk, [needs](const stage_task&) { return needs; }}},
      [this](const stage_task&) {
        auto out = ended(says, "its own words");
        out.document = "changed";
        return out;
      });
    last = handler({item, stage});
    return last.says;
  }

  std::uint64_t room = 0;
  std::shared_ptr<shared_disk> disk =
    std::make_shared<shared_disk>("storage.vault", [this](std::uint64_t x) {
      return x <= room ? caf::error{}
                       : caf::make_error(ec::store_failed,
                                         std::string{"it is full"});
    });
  verdict says = verdict::retry;
  outcome last;
};

TEST_F(while_room_test, what_fails_where_there_is_room_fails) {
  room = 10;
  EXPECT_EQ(ask(10), verdict::retry);
  says = verdict::failed;
  EXPECT_EQ(ask(10), verdict::failed);
  EXPECT_EQ(last.document, "changed");
}

TEST_F(while_room_test, what_fails_on_a_full_disk_waits_as_it_was) {
  room = 9;
  for (const auto each : {verdict::retry, verdict::failed}) {
    says = each;
    EXPECT_EQ(ask(10), verdict::not_yet);
    EXPECT_EQ(last.reason, "it is full");
    EXPECT_EQ(last.document, "");
  }
}

TEST_F(while_room_test, others_say_how_their_work_ended) {
  EXPECT_EQ(ask(std::nullopt), verdict::retry) << "it needs another disk";
  for (const auto each : {verdict::done, verdict::rejected}) {
    says = each;
    EXPECT_EQ(ask(10), each);
  }
}

TEST_F(while_room_test, the_log_says_once_that_there_is_none_and_is_again) {
  const testing::captured_log log;
  for (int i = 0; i < 3; ++i) {
    says = verdict::retry;
    EXPECT_EQ(ask(10), verdict::not_yet);
    says = verdict::done;
    EXPECT_EQ(ask(0), verdict::done) << "others need less";
  }
  EXPECT_EQ(log.count("no_room disk=storage.vault reason=\"it is full\""), 1u)
    << log.text();
  EXPECT_EQ(log.count("room_again"), 0u) << log.text();
  room = 10;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(ask(0), verdict::done);
  EXPECT_EQ(log.count("room_again disk=storage.vault"), 1u) << log.text();
}

} // namespace

} // namespace depositd::stages
