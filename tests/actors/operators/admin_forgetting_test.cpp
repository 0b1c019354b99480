// A user's data are removed, all or nothing of it.

#include "tests/actors/operators/admin_access_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_forgetting_test : public admin_access_test {
protected:
  std::string refused() {
    const auto out = refusal("user forget", {{"name", "ann"}});
    EXPECT_TRUE(world_.users_forgotten.empty());
    EXPECT_TRUE(world_.work.forgotten.empty());
    EXPECT_TRUE(world_.proposals.empty());
    EXPECT_NE(log_.str().find("user forget"), std::string::npos);
    return out;
  }

  /// With nothing that could be handed out.
  void has_place(const std::string& queue) {
    ring_report ring;
    ring.queue = queue;
    ring.out_of_turn = {{"ann", eligibility_report{}}};
    world_.rings.rings.push_back(std::move(ring));
  }
};

TEST_F(admin_forgetting_test, removes_rows_until_none_is_left_then_settings) {
  world_.control.accounts["ann"] = account_changed{"ann", a_hash, {}};
  world_.control.contacts["ann"] = contact_changed{"ann", "a@example.org", ""};
  world_.forgotten = {0, 7, 2'000};
  world_.work.forgotten_count = 3;
  EXPECT_EQ(run("user forget", {{"name", "ann"}}),
            json::parse(R"({"user":"ann","submissions":2007,"batches":3,
                            "settings":2})"));
  EXPECT_EQ(world_.users_forgotten, std::vector<std::string>(3, "ann"));
  ASSERT_EQ(world_.work.forgotten.size(), 1u);
  EXPECT_EQ(world_.work.forgotten[0].id, 0u);
  EXPECT_EQ(world_.work.forgotten[0].user, "ann");
  EXPECT_EQ(world_.work.forgotten[0].changed_before_us, never);
  EXPECT_EQ(world_.control.accounts.count("ann"), 0u);
  EXPECT_EQ(audit_lines(), 1u);
}

TEST_F(admin_forgetting_test, nothing_is_set_of_some) {
  world_.work.forgotten_count = 0;
  const auto out = run("user forget", {{"name", "ann"}});
  EXPECT_EQ(out["settings"], 0);
  EXPECT_TRUE(world_.proposals.empty());
}

TEST_F(admin_forgetting_test, what_has_not_ended_is_named_and_all_stays) {
  submission_row row;
  row.id = 42;
  row.user = "ann";
  world_.submissions = {row};
  EXPECT_NE(refused().find("submission 42 of ann"), std::string::npos);
  ASSERT_EQ(world_.queries.size(), 1u);
  EXPECT_EQ(world_.queries[0].user, "ann");
  EXPECT_TRUE(world_.queries[0].has_status);
  EXPECT_EQ(world_.queries[0].status, submission_status::queued);
}

TEST_F(admin_forgetting_test, what_is_in_process_counts_too) {
  run("user forget", {{"name", "ann"}});
  ASSERT_EQ(world_.queries.size(), 2u);
  EXPECT_EQ(world_.queries[1].status, submission_status::in_process);
}

TEST_F(admin_forgetting_test, a_batch_that_goes_on_is_named) {
  batch_row row;
  row.id = 9;
  row.user = "ann";
  world_.work.batches = {row};
  EXPECT_NE(refused().find("batch 9 of ann"), std::string::npos);
  const auto& states = world_.work.batch_queries[0].states;
  const auto asked = [&](batch_state x) {
    return std::count(states.begin(), states.end(), x) > 0;
  };
  EXPECT_TRUE(asked(batch_state::failed));
  EXPECT_FALSE(asked(batch_state::completed));
}

TEST_F(admin_forgetting_test, so_is_a_queue_of_messages_with_items) {
  has_place("loose");
  world_.pending = {};
  world_.pending.running = 1;
  EXPECT_NE(refused().find("queue loose has items of ann"), std::string::npos);
}

TEST_F(admin_forgetting_test, what_is_parked_or_delayed_waits_too) {
  has_place("loose");
  world_.pending = pending_counted{3, 10'000};
  EXPECT_NE(refused().find("queue loose has items of ann"), std::string::npos);
}

TEST_F(admin_forgetting_test, queues_without_anything_of_theirs_do_not_matter) {
  has_place("empty");
  has_place("move/gone");
  world_.own_queues = {"move/gone"};
  world_.pending = {};
  EXPECT_EQ(run("user forget", {{"name", "ann"}})["user"], "ann");
}

TEST_F(admin_forgetting_test, what_fails_half_way_is_told_and_can_be_repeated) {
  world_.refusal = caf::make_error(ec::store_failed, std::string{"no disk"});
  refusal("user forget", {{"name", "ann"}}, ec::store_failed);
  world_.refusal = {};
  EXPECT_EQ(run("user forget", {{"name", "ann"}})["user"], "ann");
}

} // namespace
} // namespace depositd::testing
