// Orders about what is stored, where they are accepted: by the owner's actor.

#include "messages/values/orders.hpp"
#include "tests/actors/work/work_fixture.hpp"

namespace depositd {

namespace {

class orders_test : public testing::work_fixture {
protected:
  void SetUp() override {
    work_fixture::SetUp();
    for (const auto kind :
         {order_kind::restore_object, order_kind::delete_item}) {
      pipeline line;
      line.name = order_pipeline(kind);
      line.stages = {stage(word(kind), job_state::pending)};
      ASSERT_TRUE(change(rules::with_queues({}, {line, false})));
    }
  }

  caf::expected<batch_accepted>
  order(const std::string& uuid, const std::string& object,
        order_kind kind = order_kind::restore_object) {
    preservation_order x;
    x.kind = kind;
    x.object = object;
    x.asked_by = "operator=ann";
    const auto made = make_order(x, {.uuid = uuid,
                                     .user = "ann",
                                     .collection = collection.name,
                                     .source = "shell",
                                     .now_us = 1'000'000});
    return ask<batch_accepted>(core,
                               submit_batch{.user = "ann",
                                            .info = made.info,
                                            .document = encode(made.document)});
  }

  /// Splits the order into its job, which is done.
  void carry_out() {
    const auto queue = order_pipeline(order_kind::restore_object);
    const auto batch = take_from(queue + ".batch");
    auto document = decode_batch_document(batch.body);
    ASSERT_TRUE(document);
    job_document job;
    job.uuid = "jid-of-" + document->uuid;
    job.batch_uuid = document->uuid;
    job.user = "ann";
    job.collection = collection.name;
    split_slice slice;
    slice.expected = 1;
    slice.last = true;
    document->split = 1;
    slice.batch = *document;
    slice.jobs = {job};
    auto said = outcome_of(batch);
    said.document = encode(slice);
    ASSERT_TRUE(says(said));
    ASSERT_TRUE(says(take_from(queue + ".restore_object")));
  }
};

} // namespace

TEST_F(orders_test, an_object_has_one_that_is_not_finished) {
  ASSERT_TRUE(order("bid-1", "inst/bag"));
  for (const auto kind :
       {order_kind::restore_object, order_kind::delete_item}) {
    const auto second = order("bid-2", "inst/bag", kind);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), ec::already_exists);
    EXPECT_NE(render(second.error()).find("not finished"), std::string::npos);
  }
  EXPECT_TRUE(order("bid-3", "inst/other"));
  EXPECT_EQ(all<batch_received>().size(), 2u) << "nothing else was written";
}

TEST_F(orders_test, the_same_one_is_refused_after_a_crash_too) {
  ASSERT_TRUE(order("bid-1", "inst/bag"));
  crash_and_begin();
  EXPECT_EQ(order("bid-2", "inst/bag").error(), ec::already_exists);
  EXPECT_EQ(order("bid-1", "inst/bag").error(), ec::already_exists);
}

TEST_F(orders_test, the_next_may_come_when_it_is_finished) {
  ASSERT_TRUE(order("bid-1", "inst/bag"));
  carry_out();
  EXPECT_TRUE(order("bid-2", "inst/bag"));
}

TEST_F(orders_test, what_follows_from_it_may_come_at_once_and_once) {
  ASSERT_TRUE(order("bid-1", "inst/bag"));
  ASSERT_TRUE(order(next_order_uuid("bid-1"), "inst/bag"));
  EXPECT_EQ(order(next_order_uuid("bid-1"), "inst/bag").error(),
            ec::already_exists);
}

TEST_F(orders_test, batches_that_are_none_do_not_meet_them) {
  ASSERT_TRUE(order("bid-1", "inst/bag"));
  EXPECT_NE(submit(1, "ann", "bid-2"), 0u);
  EXPECT_NE(submit(1, "ann", "bid-3"), 0u);
}

} // namespace depositd
