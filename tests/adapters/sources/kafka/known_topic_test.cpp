#include "adapters/sources/kafka/known_topic.hpp"

#include <gtest/gtest.h>

namespace depositd::sources {

namespace {

using std::chrono::seconds;
using marks = std::vector<partition_mark>;

/// Says what it is told to.
class told_identity final : public log_identity {
public:
  struct script {
    marks asked;
    int times = 0;
    caf::error answer;
  };

  explicit told_identity(std::shared_ptr<script> by) : by_(std::move(by)) {
    // nop
  }

  caf::error check(const marks& x, std::chrono::milliseconds) override {
    by_->asked = x;
    ++by_->times;
    return by_->answer;
  }

private:
  std::shared_ptr<script> by_;
};

/// The next offset of partition 0 is behind a record with this mark.
topic_position behind(std::int64_t mark) {
  return {{0, {offset_of_mark(mark) + 1, mark}}};
}

class known_topic_test : public ::testing::Test {
protected:
  caf::error compare(const topic_position& read, int second) {
    return topic.compare(read, seconds{1}, begin + seconds{second});
  }

  std::shared_ptr<told_identity::script> brokers =
    std::make_shared<told_identity::script>();
  known_topic topic{std::make_unique<told_identity>(brokers), seconds{60}};
  known_topic::clock::time_point begin = known_topic::clock::now();
  const std::int64_t first = mark_of(0, "k", "a");
  const std::int64_t second = mark_of(1, "k", "b");
  const std::int64_t third = mark_of(2, "k", "c");
};

TEST_F(known_topic_test, is_not_asked_about_before_something_was_read) {
  topic.see(0, no_record_mark);
  EXPECT_FALSE(compare({{0, {1}}}, 0));
  EXPECT_EQ(brokers->times, 0);
}

TEST_F(known_topic_test, is_known_by_what_was_read_before_the_last_look) {
  topic.see(0, first);
  topic.see(0, second);
  EXPECT_FALSE(compare(behind(second), 0));
  EXPECT_EQ(brokers->asked, (marks{{0, first}}));
  EXPECT_FALSE(compare(behind(third), 59));
  EXPECT_EQ(brokers->times, 1) << "not so soon";
  EXPECT_FALSE(compare(behind(third), 60));
  EXPECT_EQ(brokers->asked, (marks{{0, second}}));
  EXPECT_FALSE(compare(behind(third), 120));
  EXPECT_EQ(brokers->asked, (marks{{0, third}}));
}

TEST_F(known_topic_test, is_asked_about_again_if_nobody_answers) {
  topic.see(0, first);
  brokers->answer = caf::make_error(ec::store_failed);
  EXPECT_FALSE(compare(behind(third), 0));
  EXPECT_FALSE(compare(behind(third), 1));
  EXPECT_EQ(brokers->times, 2);
  EXPECT_EQ(brokers->asked, (marks{{0, first}})) << "no newer one yet";
}

TEST_F(known_topic_test, that_is_another_is_begun_with_anew) {
  topic.see(0, first);
  brokers->answer = caf::make_error(ec::store_damaged);
  EXPECT_EQ(compare(behind(third), 0), ec::store_damaged);
  EXPECT_FALSE(compare({{0, {0}}}, 1));
  EXPECT_EQ(brokers->times, 1) << "nothing of it is known";
  brokers->answer = {};
  topic.see(0, second);
  EXPECT_FALSE(compare(behind(second), 2));
  EXPECT_EQ(brokers->asked, (marks{{0, second}}));
}

TEST_F(known_topic_test, is_not_known_by_what_is_read_again) {
  topic.see(0, second);
  topic.see(1, first);
  EXPECT_FALSE(compare({{0, {1}}, {1, {1, first}}}, 0));
  EXPECT_EQ(brokers->asked, (marks{{1, first}}));
  EXPECT_FALSE(compare({{0, {1}}}, 60));
  EXPECT_EQ(brokers->times, 1) << "the other partition is not read any more";
}

} // namespace

} // namespace depositd::sources
