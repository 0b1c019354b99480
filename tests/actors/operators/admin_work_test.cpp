#include "tests/actors/operators/admin_fixture.hpp"

namespace depositd::testing {
namespace {

using admin_work_test = admin_fixture;

// -- processors ---------------------------------------------------------------

TEST_F(admin_work_test, a_processor_is_kept_to_nodes) {
  auto x = run("sp add", {{"name", "p1"},
                          {"types", {"query"}},
                          {"nodes", {"far-2", "far-1", "far-2"}}});
  EXPECT_EQ(x["nodes"], (json{"far-1", "far-2"}));
  const auto place = proposed_with_others<processor_placed>();
  EXPECT_EQ(place.processor, "p1");
  EXPECT_EQ(place.nodes, (std::vector<std::string>{"far-1", "far-2"}));
  x = run("sp set", {{"name", "p1"}, {"slots", 2}});
  EXPECT_EQ(x["nodes"], (json{"far-1", "far-2"})) << "it stays";
  EXPECT_EQ(run("sp list")["processors"][0]["nodes"], (json{"far-1", "far-2"}));
  refusal("sp set", {{"name", "p1"}, {"nodes", {"a b"}}});
  refusal("sp set", {{"name", "p1"}, {"nodes", json::array()}});
  x = run("sp set", {{"name", "p1"}, {"nodes", {"any"}}});
  EXPECT_TRUE(x["nodes"].empty());
  EXPECT_TRUE(proposed_with_others<processor_placed>().nodes.empty());
  run("sp set", {{"name", "p1"}, {"nodes", {"far-1"}}});
  run("sp stop", {{"name", "p1"}});
  EXPECT_TRUE(proposed_with_others<processor_placed>().nodes.empty())
    << "another of the name runs everywhere";
}

TEST_F(admin_work_test, a_filter_requires_or_excludes_as_crossref_says) {
  run("sp add", {{"name", "p1"},
                 {"types", {"metadata", "query"}},
                 {"slots", 2},
                 {"user_filter", {"ann"}},
                 {"preferred_users", {"bob"}},
                 {"low_priority_users", {"cyd"}},
                 {"max_submission_size", 1'000}});
  auto spec = proposed<processor_changed>().spec;
  EXPECT_EQ(spec.wants.required, std::vector<std::string>{"ann"});
  EXPECT_TRUE(spec.wants.excluded.empty());
  EXPECT_EQ(spec.wants.preferred, std::vector<std::string>{"bob"});
  EXPECT_EQ(spec.wants.size_max, 1'000u);
  run("sp set", {{"name", "p1"}, {"exclude_users", true}});
  spec = proposed<processor_changed>().spec;
  EXPECT_TRUE(spec.wants.required.empty());
  EXPECT_EQ(spec.wants.excluded, std::vector<std::string>{"ann"});
  EXPECT_EQ(spec.slots, 2u);
  run("sp set", {{"name", "p1"}, {"slots", 4}});
  EXPECT_EQ(proposed<processor_changed>().spec.wants.excluded,
            std::vector<std::string>{"ann"});
  run("sp set", {{"name", "p1"}, {"user_filter", json::array()}});
  EXPECT_TRUE(proposed<processor_changed>().spec.wants.excluded.empty());
}

TEST_F(admin_work_test, processors_take_deposits_only) {
  for (const auto kind :
       {queue_kind::message, queue_kind::stage, queue_kind::outbox}) {
    world_.control.queues["loose"].kind = kind;
    EXPECT_NE(refusal("sp add",
                      {{"name", "p1"}, {"types", {"metadata", "loose"}}})
                .find("loose is no queue of deposits"),
              std::string::npos);
  }
  run("sp add", {{"name", "p1"}});
  refusal("sp set", {{"name", "p1"}, {"types", {"loose"}}});
}

TEST_F(admin_work_test, nobody_is_left_out_without_a_filter) {
  EXPECT_NE(refusal("sp add", {{"name", "p1"}, {"exclude_users", true}})
              .find("user_filter"),
            std::string::npos);
  run(
    "sp add",
    {{"name", "p1"}, {"user_filter", json::array()}, {"exclude_users", true}});
  refusal("sp set", {{"name", "p1"}, {"exclude_users", true}});
  run("sp set", {{"name", "p1"}, {"exclude_users", false}});
}

TEST_F(admin_work_test, processors_are_listed_with_their_work_and_stopped) {
  run("sp add", {{"name", "p1"}});
  refusal("sp add", {{"name", "p1"}}, ec::already_exists);
  refusal("sp set", {{"name", "p2"}}, ec::not_found);
  refusal("sp add", {{"name", "p2"}, {"types", {"nowhere"}}}, ec::not_found);
  slots_report::entry slot;
  slot.processor = "p1";
  slot.item = 9;
  slot.user = "ann";
  world_.slots.entries = {slot};
  const auto x = run("sp list");
  EXPECT_EQ(x["processors"][0]["types"], json{"metadata"});
  EXPECT_EQ(x["processors"][0]["max_submission_size"], nullptr);
  EXPECT_EQ(x["processors"][0]["working"][0]["item"], 9);
  run("sp stop", {{"name", "p1"}});
  EXPECT_TRUE(proposed<processor_changed>().removed);
  refusal("sp stop", {{"name", "p1"}}, ec::not_found);
}

// -- submissions --------------------------------------------------------------

TEST_F(admin_work_test, submissions_are_listed_by_user_queue_and_status) {
  run("submission list",
      {{"user", "ann"}, {"queue", "query"}, {"status", "queued"}});
  const auto& query = world_.queries.back();
  EXPECT_EQ(query.user, "ann");
  EXPECT_EQ(query.queue, "query");
  EXPECT_TRUE(query.has_status);
  EXPECT_FALSE(query.with_documents);
  refusal("submission list", {{"status", "lost"}});
}

TEST_F(admin_work_test, submissions_come_in_pages) {
  world_.submissions.resize(3);
  for (const auto i : {0u, 1u, 2u})
    world_.submissions[i].id = 9 - i;
  const auto first = run("submission list", {{"limit", 2}});
  EXPECT_EQ(world_.queries.back().count_max, 3u);
  EXPECT_EQ(first["submissions"].size(), 2u);
  EXPECT_EQ(first["next"], "8");
  const auto last = run("submission list", {{"after", "8"}});
  EXPECT_EQ(world_.queries.back().after, std::vector<item_id>{8});
  EXPECT_GT(world_.queries.back().bytes_max, 0u);
  EXPECT_FALSE(last.contains("next"));
  EXPECT_EQ(refusal("submission list", {{"after", "yesterday"}}),
            "after must be what a page before gave as next");
}

TEST_F(admin_work_test, a_page_that_was_cut_short_goes_on_after_its_rows) {
  world_.submissions.resize(1);
  world_.submissions[0].id = 9;
  world_.cut_short = true;
  EXPECT_EQ(run("submission list")["next"], "9");
}

TEST_F(admin_work_test, a_submission_is_shown_with_what_pollers_get) {
  submission_row row;
  row.id = 4;
  row.document = "<doc/>";
  row.status = submission_status::completed;
  world_.submissions = {row};
  const auto x = run("submission show", {{"id", 4}});
  EXPECT_EQ(x["document"], "<doc/>");
  EXPECT_EQ(x["status"], "completed");
  EXPECT_EQ(x["started_at"], nullptr);
  world_.submissions.clear();
  refusal("submission show", {{"id", 5}}, ec::not_found);
}

TEST_F(admin_work_test, why_asks_the_shard_for_what_still_lives) {
  submission_row row;
  row.id = 4;
  row.user = "ann";
  world_.submissions = {row};
  world_.explained.live = true;
  world_.explained.user = "ann";
  world_.explained.member.suspended = true;
  EXPECT_EQ(run("submission why", {{"id", 4}})["reason"], "queue_suspended");
  world_.submissions.front().status = submission_status::completed;
  EXPECT_EQ(run("submission why", {{"id", 4}})["reason"], "finished");
}

TEST_F(admin_work_test, why_answers_for_messages_if_their_user_is_named) {
  EXPECT_NE(refusal("submission why", {{"id", 4}}, ec::not_found)
              .find("name its user too"),
            std::string::npos);
  EXPECT_NE(
    refusal("submission why", {{"id", 4}, {"user", "ann"}}, ec::not_found)
      .find("ann has no item 4"),
    std::string::npos);
  world_.explained.live = true;
  world_.explained.user = "ann";
  world_.explained.queue = "loose";
  world_.explained.item.state = item_state::parked;
  const auto x = run("submission why", {{"id", 4}, {"user", "ann"}});
  EXPECT_EQ(x["reason"], "parked");
  EXPECT_EQ(x["queue"], "loose");
  EXPECT_EQ(world_.explanations.back().id, 4u);
  EXPECT_EQ(world_.explanations.back().user, "ann");
}

TEST_F(admin_work_test, parking_counts_first_if_asked) {
  world_.matching = 12;
  const auto x =
    run("park", {{"from_us", 5}, {"users", {"ann"}}, {"count_only", true}});
  EXPECT_EQ(x, (json{{"matched", 12}}));
  EXPECT_TRUE(world_.parkings.back().count_only);
  EXPECT_EQ(world_.parkings.back().from_us, 5);
  EXPECT_EQ(audit_lines(), 0u);
  EXPECT_EQ(run("unpark")["unparked"], 12);
  EXPECT_FALSE(world_.parkings.back().parked);
  EXPECT_GT(world_.parkings.back().to_us, 4'000'000'000'000'000);
  EXPECT_EQ(audit_lines(), 1u);
}

TEST_F(admin_work_test, topics_are_made_and_audited) {
  const auto x = run("kafka init")["topics"];
  ASSERT_EQ(x.size(), 2u);
  EXPECT_EQ(x[0],
            (json{{"topic", "in"}, {"partitions", 8}, {"existed", false}}));
  EXPECT_EQ(x[1]["existed"], true);
  EXPECT_EQ(audit_lines(), 1u);
  world_.refusal = caf::make_error(ec::store_failed, "no broker answers");
  refusal("kafka init", json::object(), ec::store_failed);
}

TEST_F(admin_work_test, a_backup_has_objects_after_all_else) {
  EXPECT_EQ(run("backup", {{"folder", "/x"}})["folder"], "/x");
  EXPECT_EQ(world_.copying, (std::vector<std::string>{"begin /x", "all else",
                                                      "objects", "end"}));
  world_.copying.clear();
  world_.copy_failure = caf::make_error(ec::store_failed, "no room");
  refusal("backup", {{"folder", "/y"}}, ec::store_failed);
  EXPECT_EQ(world_.copying.back(), "end") << "who waits goes on";
}

TEST_F(admin_work_test, what_stages_keep_is_let_go_if_all_else_fails) {
  world_.refusal = caf::make_error(ec::store_failed, "no room");
  refusal("backup", {{"folder", "/x"}}, ec::store_failed);
  EXPECT_EQ(world_.copying,
            (std::vector<std::string>{"begin /x", "all else", "end"}));
}

TEST_F(admin_work_test, backup_and_submit_are_passed_on) {
  run("backup", {{"folder", "/x"}});
  EXPECT_EQ(world_.backups, std::vector<std::string>{"/x"});
  const auto x = run("submit", {{"user", "ann"},
                                {"file_name", "a.xml"},
                                {"operation", "doQueryUpload"},
                                {"content_base64", "eA=="}});
  EXPECT_EQ(x["id"], 77);
  EXPECT_EQ(world_.files.front().operation, "doQueryUpload");
  world_.submitted_id = 0;
  refusal("submit",
          {{"user", "ann"}, {"file_name", "a"}, {"content_base64", "eA=="}},
          ec::pending_limit_reached);
}

} // namespace
} // namespace depositd::testing
