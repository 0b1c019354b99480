// Submissions that are ended, or begun again.

#include "tests/actors/operators/admin_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_orders_test : public admin_fixture {
protected:
  void put(submission_status status, bool failed = false) {
    submission_row row;
    row.id = 7;
    row.user = "ann";
    row.queue = "metadata";
    row.submission.file_name = "a.xml";
    row.submission.blob = "sha";
    row.status = status;
    row.failed = failed;
    world_.submissions = {row};
  }
};

TEST_F(admin_orders_test, cancel_names_the_operator_and_why) {
  put(submission_status::queued);
  const auto x = run("submission cancel", {{"id", 7}, {"note", "a mistake"}});
  EXPECT_EQ(x["cancelled"], 1);
  ASSERT_EQ(world_.cancelled.size(), 1u);
  EXPECT_EQ(world_.cancelled[0].id, 7u);
  EXPECT_EQ(world_.cancelled[0].user, "ann");
  EXPECT_EQ(world_.cancelled[0].reason.find("a mistake ("), 0u)
    << world_.cancelled[0].reason;
  EXPECT_EQ(audit_lines(), 1u);
  run("submission cancel", {{"id", 7}});
  EXPECT_EQ(world_.cancelled[1].reason.find("cancelled by "), 0u);
}

TEST_F(admin_orders_test, cancel_of_one_counts_first) {
  put(submission_status::queued);
  EXPECT_EQ(
    run("submission cancel", {{"id", 7}, {"count_only", true}})["matched"], 1);
  EXPECT_TRUE(world_.cancelled.empty());
}

TEST_F(admin_orders_test, what_has_ended_is_not_cancelled) {
  put(submission_status::completed, true);
  EXPECT_NE(refusal("submission cancel", {{"id", 7}}).find("has failed"),
            std::string::npos);
  world_.submissions.clear();
  refusal("submission cancel", {{"id", 8}}, ec::not_found);
  EXPECT_TRUE(world_.cancelled.empty());
}

TEST_F(admin_orders_test, a_refusal_of_the_shard_reaches_the_operator) {
  put(submission_status::in_process);
  world_.refusal = caf::make_error(ec::invalid_argument,
                                   std::string{"7 is in process at sp1"});
  EXPECT_NE(refusal("submission cancel", {{"id", 7}}).find("at sp1"),
            std::string::npos);
  EXPECT_EQ(audit_lines(), 1u);
}

TEST_F(admin_orders_test, many_are_cancelled_by_filter) {
  world_.cancelling_done = {9, 8};
  const json filter{{"users", {"ann", "bob"}},
                    {"queue", "query"},
                    {"from_us", 5},
                    {"to_us", 6}};
  auto counting = filter;
  counting["count_only"] = true;
  const auto counted = run("submission cancel", counting);
  EXPECT_EQ(counted["matched"], 9);
  EXPECT_FALSE(counted.contains("cancelled"));
  EXPECT_EQ(audit_lines(), 0u);
  EXPECT_EQ(run("submission cancel", filter)["cancelled"], 8);
  EXPECT_EQ(audit_lines(), 1u);
  ASSERT_EQ(world_.cancellings.size(), 2u);
  const auto& what = world_.cancellings[1];
  EXPECT_EQ(what.users, (std::vector<std::string>{"ann", "bob"}));
  EXPECT_EQ(what.queue, "query");
  EXPECT_EQ(what.from_us, 5);
  EXPECT_EQ(what.to_us, 6);
  EXPECT_FALSE(what.count_only);
  EXPECT_EQ(what.reason.find("cancelled by "), 0u);
}

TEST_F(admin_orders_test, one_or_many_must_be_said) {
  refusal("submission cancel");
  refusal("submission cancel", {{"id", 7}, {"all", true}});
  refusal("submission cancel", {{"id", 7}, {"queue", "query"}});
  refusal("submission cancel", {{"queue", "query"}, {"all", true}});
  EXPECT_TRUE(world_.cancellings.empty());
  run("submission cancel", {{"all", true}});
  EXPECT_EQ(world_.cancellings.size(), 1u);
}

TEST_F(admin_orders_test, a_failed_one_is_submitted_again_under_a_new_number) {
  put(submission_status::completed, true);
  const auto x = run("submission requeue", {{"id", 7}});
  EXPECT_EQ(x["id"], 77);
  EXPECT_EQ(x["of"], 7);
  ASSERT_EQ(world_.again.size(), 1u);
  EXPECT_EQ(world_.again[0].queue, "metadata");
  EXPECT_EQ(world_.again[0].user, "ann");
  EXPECT_EQ(world_.again[0].submission, world_.submissions[0].submission);
  EXPECT_EQ(audit_lines(), 1u);
}

TEST_F(admin_orders_test, only_a_failed_one_is_submitted_again) {
  for (const auto status :
       {submission_status::queued, submission_status::in_process,
        submission_status::completed}) {
    put(status);
    refusal("submission requeue", {{"id", 7}});
  }
  world_.submissions.clear();
  refusal("submission requeue", {{"id", 7}}, ec::not_found);
  put(submission_status::completed, true);
  world_.submitted_id = 0;
  refusal("submission requeue", {{"id", 7}}, ec::pending_limit_reached);
}

} // namespace
} // namespace depositd::testing
