// Objects whose storage has to be asked before it can be read.

#include "tests/adapters/processing/aptrust/orders/restoring_world.hpp"

namespace depositd::aptrust::testing {
namespace {

class glacier : public restoring {
protected:
  glacier() {
    tools->cold_storage = {"far"};
    store("INST/photos", a_bag, {"far"});
    store("INST/single", {{"data/one", "1"}}, {"far"});
  }
};

TEST_F(glacier, row_p26_waits_as_not_yet_until_it_can_be_read) {
  auto& far = *targets["far"];
  far.answers = {recall::begun, recall::on_way, recall::too_busy,
                 recall::at_hand};
  const auto order = an_order(order_kind::restore_glacier, "INST/photos");
  auto job = job_of(order);
  for (int i = 0; i < 3; ++i) {
    const auto out = run("restore_glacier", job);
    EXPECT_EQ(out.says, verdict::not_yet) << out.reason;
    EXPECT_EQ(out.delay_ms, 0u) << "the stage's own, four hours";
  }
  EXPECT_TRUE(submitted.empty());
  const auto out = run("restore_glacier", job);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  ASSERT_EQ(submitted.size(), 1u);
  EXPECT_EQ(submitted[0].user, "INST");
  EXPECT_EQ(order_kind_of(submitted[0].info), order_kind::restore_object);
  EXPECT_EQ(submitted[0].info.uuid, next_order_uuid("bid-1"));
  EXPECT_EQ(far.last_days, 10u);
}

TEST_F(glacier, row_p26_a_file_is_restored_as_a_file) {
  const auto out =
    run(an_order(order_kind::restore_glacier, "INST/photos", "data/a.txt"));
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  ASSERT_EQ(submitted.size(), 1u);
  EXPECT_EQ(order_kind_of(submitted[0].info), order_kind::restore_file);
  EXPECT_EQ(submitted[0].info.file_name, "data/a.txt");
}

TEST_F(glacier, what_follows_is_queued_once_however_often_this_is_repeated) {
  const auto order = an_order(order_kind::restore_glacier, "INST/photos");
  EXPECT_EQ(run(order).says, verdict::done);
  EXPECT_EQ(run(order).says, verdict::done);
  EXPECT_EQ(submitted.size(), 1u);
}

TEST_F(glacier, tries_again_if_what_follows_cannot_be_queued) {
  submit_fails = caf::make_error(ec::overloaded, std::string{"draining"});
  const auto order = an_order(order_kind::restore_glacier, "INST/photos");
  EXPECT_EQ(run(order).says, verdict::retry);
  submit_fails = caf::none;
  EXPECT_EQ(run(order).says, verdict::done);
  EXPECT_EQ(submitted.size(), 1u);
}

TEST_F(glacier, what_follows_was_queued_if_only_the_answer_was_lost) {
  tools->submit = [this](submit_batch x) -> caf::expected<item_id> {
    EXPECT_TRUE(take(std::move(x)));
    return caf::make_error(ec::overloaded, std::string{"no answer"});
  };
  const auto out = run(an_order(order_kind::restore_glacier, "INST/photos"));
  EXPECT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(submitted.size(), 1u);
}

TEST_F(glacier, what_follows_is_queued_also_where_nobody_can_look) {
  tools->work = nullptr;
  const auto out = run(an_order(order_kind::restore_glacier, "INST/photos"));
  EXPECT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(submitted.size(), 1u);
}

TEST_F(glacier, what_follows_reads_what_was_brought_back) {
  ASSERT_EQ(run(an_order(order_kind::restore_glacier, "INST/photos")).says,
            verdict::done);
  const auto document = decode_batch_document(submitted[0].document);
  ASSERT_TRUE(document);
  const auto order = order_in(document->more);
  ASSERT_TRUE(order && *order);
  EXPECT_EQ((**order).follows, "bid-1");
  const auto out = run(**order);
  EXPECT_EQ(out.says, verdict::done) << out.reason;
}

TEST_F(glacier, cannot_be_restored_without_being_brought_back) {
  const auto out = run(an_order(order_kind::restore_object, "INST/photos"));
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_TRUE(says(out, "restore_glacier")) << out.reason;
  EXPECT_EQ(targets["far"]->reads, 0);
}

TEST_F(glacier, row_p27_what_the_storage_does_not_have_is_lost) {
  targets["far"]->answers = {
    caf::make_error(ec::not_found, std::string{"NoSuchKey"})};
  const auto out = run(an_order(order_kind::restore_glacier, "INST/photos"));
  EXPECT_EQ(out.says, verdict::failed) << "which needs review";
  EXPECT_TRUE(says(out, "NoSuchKey")) << out.reason;
  EXPECT_TRUE(submitted.empty());
}

TEST_F(glacier, tries_again_while_the_storage_is_out_of_reach) {
  targets["far"]->answers = {
    caf::make_error(ec::store_failed, std::string{"timeout"})};
  EXPECT_EQ(run(an_order(order_kind::restore_glacier, "INST/photos")).says,
            verdict::retry);
}

TEST_F(glacier, row_p28_an_object_of_one_file_counts_as_restored) {
  const auto out = run(an_order(order_kind::restore_glacier, "INST/single"));
  EXPECT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(submitted.size(), 1u);
}

} // namespace
} // namespace depositd::aptrust::testing
