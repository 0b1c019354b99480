// A pipeline with the name of a queue that there was before, of messages. None
// is taken any more, but journals may have one.

#include "tests/actors/work/work_fixture.hpp"

namespace depositd {

namespace {

class taken_queues : public testing::work_fixture {
protected:
  void take_name(const std::string& queue) {
    ASSERT_TRUE(change({queue_changed{queue, queue_settings{}}}));
  }

  /// Its queues do not come with it.
  void set_stages(std::vector<stage_settings> all) {
    ASSERT_TRUE(change({pipeline_changed{{"p", std::move(all)}, false}}));
  }

  void mend() {
    ASSERT_TRUE(change(rules::with_queues({}, {stages, false})));
  }
};

TEST_F(taken_queues, let_no_batch_be_split_into_them) {
  take_name("p.more");
  const auto batch = submit(2);
  set_stages({stage("more", job_state::pending)});
  says(split(take("batch")));
  EXPECT_EQ(jobs().size(), 0u);
  EXPECT_EQ(state_of_batch(batch), "pending");
  mend();
  advance(std::chrono::minutes{10});
  says(split(take("batch")));
  EXPECT_EQ(jobs().size(), 2u);
}

TEST_F(taken_queues, keep_no_job_that_was_to_go_on) {
  take_name("p.more");
  submit_and_split(1);
  const auto id = jobs()[0];
  set_stages({stage("first", job_state::pending),
              stage("more", job_state::processing)});
  says(take("first"));
  EXPECT_EQ(state_of(id), "pending");
  ASSERT_TRUE(order(id, work_action::fail));
  EXPECT_FALSE(order(id, work_action::requeue, "more"));
  ASSERT_TRUE(order(id, work_action::requeue, "first"));
  mend();
  ASSERT_TRUE(says(take("first")));
  EXPECT_EQ(take("middle").id, id);
}

TEST_F(taken_queues, take_no_batches) {
  take_name("q.batch");
  ASSERT_TRUE(
    change({pipeline_changed{{"q", {stage("a", job_state::pending)}}, false}}));
  collection.pipeline = "q";
  ASSERT_TRUE(change({collection_changed{collection, false}}));
  submit_batch what;
  what.user = "ann";
  what.info.uuid = "bid-9";
  what.info.collection = collection.name;
  EXPECT_EQ(ask<batch_accepted>(core, std::move(what)).error(), ec::not_found);
}

} // namespace

} // namespace depositd
