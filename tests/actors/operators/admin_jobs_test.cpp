// Batches and jobs, as operators look for and move them.

#include "actors/rules/lifecycle/batches.hpp"
#include "actors/rules/lifecycle/jobs.hpp"

#include "tests/actors/operators/admin_jobs_fixture.hpp"

namespace depositd::testing {
namespace {

using admin_jobs_test = admin_jobs_fixture;

// -- looking ------------------------------------------------------------------

TEST_F(admin_jobs_test, jobs_are_searched_by_what_the_arguments_say) {
  run("job list", {{"identifier", "ark:/1/2"},
                   {"local_id", "l"},
                   {"title", "t"},
                   {"file_name", "f"},
                   {"state", "held"},
                   {"collection", "c1"},
                   {"user", "ann"},
                   {"needs_review", true}});
  const auto& x = work().job_queries.back();
  EXPECT_EQ(x.identifier, "ark:/1/2");
  EXPECT_EQ(x.local_id, "l");
  EXPECT_EQ(x.title, "t");
  EXPECT_EQ(x.file_name, "f");
  EXPECT_EQ(x.states, std::vector<job_state>{job_state::held});
  EXPECT_EQ(x.collections, std::vector<std::string>{"c1"});
  EXPECT_EQ(x.users, std::vector<std::string>{"ann"});
  EXPECT_TRUE(x.needs_review);
  refusal("job list", {{"state", "lost"}});
}

TEST_F(admin_jobs_test, a_uuid_that_begins_with_digits_is_no_number) {
  add_batch(4, batch_state::processing);
  run("job list", {{"batch", "4f2a"}});
  EXPECT_EQ(work().batch_queries.back().uuid, "4f2a");
  EXPECT_EQ(work().batch_queries.back().id, 0u);
}

TEST_F(admin_jobs_test, the_batch_of_jobs_may_be_named_by_its_uuid) {
  add_batch(4, batch_state::processing);
  run("job list", {{"batch", "bid-4"}});
  EXPECT_EQ(work().batch_queries.back().uuid, "bid-4");
  EXPECT_EQ(work().job_queries.back().batch, 4u);
  run("job list", {{"batch", "4"}});
  EXPECT_EQ(work().batch_queries.back().id, 4u);
  EXPECT_EQ(work().batch_queries.back().uuid, "");
  work().batches.clear();
  EXPECT_EQ(refusal("job list", {{"batch", "5"}}, ec::not_found),
            "there is no batch \"5\"");
}

TEST_F(admin_jobs_test, lists_come_in_pages) {
  for (const item_id id : {3u, 5u, 8u})
    add_job(id, job_state::held);
  const auto x = run("job list", {{"limit", 2}});
  EXPECT_EQ(work().job_queries.back().count_max, 3u);
  EXPECT_EQ(x["jobs"].size(), 2u);
  EXPECT_EQ(x["next"], "5");
  EXPECT_FALSE(run("job list", {{"after", "5"}}).contains("next"));
  EXPECT_EQ(work().job_queries.back().after, std::vector<item_id>{5});
  refusal("job list", {{"after", "yesterday"}});
  add_batch(4, batch_state::held);
  add_batch(2, batch_state::held);
  EXPECT_EQ(run("batch list", {{"limit", 1}})["next"], "4");
  EXPECT_FALSE(run("batch list")["batches"][0].contains("failed_jobs"));
}

TEST_F(admin_jobs_test, a_review_lists_what_somebody_must_look_at) {
  add_job(3, job_state::failed).status.needs_review = true;
  EXPECT_EQ(run("review list")["items"][0]["id"], 3);
  EXPECT_TRUE(work().job_queries.back().needs_review);
}

TEST_F(admin_jobs_test, a_batch_is_shown_with_the_jobs_that_have_ended) {
  add_batch(4, batch_state::failed);
  add_job(5, job_state::failed);
  add_job(6, job_state::completed);
  const auto x = run("batch show", {{"id", "bid-4"}});
  EXPECT_EQ(x["failed_jobs"], json{5});
  EXPECT_EQ(x["successful_jobs"], json{6});
  EXPECT_EQ(work().job_queries.back().batch, 4u);
  EXPECT_FALSE(x.contains("jobs_left_out"));
  work().cut_short = true;
  EXPECT_EQ(run("batch show", {{"id", "4"}})["jobs_left_out"], true);
}

TEST_F(admin_jobs_test, a_batch_says_so_when_it_has_more_jobs_than_are_shown) {
  add_batch(4, batch_state::failed);
  item_id id = 100;
  while (id < 10'100)
    add_job(id++, job_state::failed);
  const auto whole = run("batch show", {{"id", "bid-4"}});
  EXPECT_EQ(whole["failed_jobs"].size(), 10'000u);
  EXPECT_FALSE(whole.contains("jobs_left_out"));
  add_job(id, job_state::failed);
  const auto part = run("batch show", {{"id", "bid-4"}});
  EXPECT_EQ(part["failed_jobs"].size(), 10'000u);
  EXPECT_EQ(part["jobs_left_out"], true);
}

TEST_F(admin_jobs_test, what_is_no_name_of_a_job_is_refused) {
  for (const auto* id : {"", "0", "99999999999999999999999"})
    refusal("job show", {{"id", id}});
  refusal("job show", {{"id", std::string(200, 'x')}});
  EXPECT_TRUE(work().job_queries.empty());
  refusal("job show", {{"id", "jid-9"}}, ec::not_found);
}

// -- ordering one -------------------------------------------------------------

TEST_F(admin_jobs_test, an_order_names_whose_job_it_is_and_who_gave_it) {
  add_job(7, job_state::failed);
  work().job_becomes.state = job_state::downloading;
  work().job_becomes.retry_count = 1;
  const auto x = run("job requeue", {{"id", "jid-7"}, {"to", "download"}});
  EXPECT_EQ(x["state"], "downloading");
  EXPECT_EQ(x["retry_count"], 1);
  const auto& order = work().job_orders.back();
  EXPECT_EQ(order.id, 7u);
  EXPECT_EQ(order.user, "ann");
  EXPECT_EQ(order.action, work_action::requeue);
  EXPECT_EQ(order.stage, "download");
  EXPECT_EQ(order.note, "requeue by engine");
  EXPECT_TRUE(logged("command=\"job requeue\"")) << log_.str();
  EXPECT_TRUE(logged("\"state\":\"failed\"")) << log_.str();
}

TEST_F(admin_jobs_test, a_stage_that_the_pipeline_has_not_is_refused) {
  add_job(7, job_state::failed);
  const auto text = refusal("job requeue", {{"id", "7"}, {"to", "nowhere"}});
  EXPECT_NE(text.find("pending, estimate, download"), std::string::npos)
    << text;
  EXPECT_TRUE(work().job_orders.empty());
}

TEST_F(admin_jobs_test, a_job_whose_pipeline_is_gone_goes_to_no_stage) {
  add_job(7, job_state::failed);
  world_.control.pipelines.clear();
  EXPECT_EQ(refusal("job requeue", {{"id", "7"}, {"to", "download"}}),
            "the job's pipeline, merritt, is not there any more");
  EXPECT_TRUE(work().job_orders.empty());
}

TEST_F(admin_jobs_test, a_note_stays_as_it_was_given) {
  add_job(7, job_state::failed);
  run("job note", {{"id", "7"}, {"note", "look"}});
  EXPECT_EQ(work().job_orders.back().note, "look");
  run("job fail", {{"id", "7"}, {"note", "stuck"}});
  EXPECT_EQ(work().job_orders.back().note, "stuck (engine)");
  refusal("job note", {{"id", "7"}, {"note", std::string(1'001, 'x')}},
          ec::too_large);
  refusal("job note", {{"id", "7"}, {"note", ""}});
}

TEST_F(admin_jobs_test, what_the_shard_refuses_is_refused_with_its_text) {
  add_job(7, job_state::downloading);
  work().refusal = caf::make_error(ec::invalid_argument,
                                   std::string{"the job is storing: only ..."});
  EXPECT_EQ(refusal("job hold", {{"id", "7"}}), "the job is storing: only ...");
  EXPECT_TRUE(logged("result=\"the job is storing")) << log_.str();
}

/// Every order of every state that the shard has no job in hand for.
TEST_F(admin_jobs_test, a_refusal_names_the_state_that_the_row_has) {
  work().refusal = caf::make_error(ec::not_found, std::string{"gone"});
  for (const auto& [state, word_of_state] : words_of<job_state>) {
    work().jobs.clear();
    add_job(7, state);
    for (const auto& [action, command] :
         {std::pair{work_action::hold, "job hold"},
          std::pair{work_action::release, "job release"},
          std::pair{work_action::requeue, "job requeue"},
          std::pair{work_action::fail, "job fail"},
          std::pair{work_action::remove, "job delete"},
          std::pair{work_action::note, "job note"}}) {
      json arguments{{"id", "7"}};
      if (action == work_action::note)
        arguments["note"] = "x";
      const auto text = refusal(command, arguments);
      EXPECT_NE(text.find("the job is " + std::string{word_of_state}),
                std::string::npos)
        << command << ": " << text;
      const auto rule = rules::decide(job_status{.state = state}, {action});
      EXPECT_TRUE(rule || text == render(rule.error())) << command << text;
    }
  }
}

TEST_F(admin_jobs_test, a_refusal_names_the_state_that_the_batch_has) {
  work().refusal = caf::make_error(ec::not_found, std::string{"gone"});
  for (const auto& [state, word_of_state] : words_of<batch_state>) {
    work().batches.clear();
    add_batch(4, state);
    for (const auto& [action, command] :
         {std::pair{work_action::hold, "batch hold"},
          std::pair{work_action::release, "batch release"},
          std::pair{work_action::update_report, "batch update-report"}}) {
      const auto text = refusal(command, {{"id", "4"}});
      EXPECT_NE(text.find("the batch is " + std::string{word_of_state}),
                std::string::npos)
        << command << ": " << text;
      const auto rule = rules::decide(batch_status{.state = state}, {action});
      EXPECT_TRUE(rule || text == render(rule.error())) << command << text;
    }
  }
}

// -- deleting -----------------------------------------------------------------

TEST_F(admin_jobs_test, deleting_what_is_unfinished_asks) {
  add_job(7, job_state::held);
  const json counting{{"id", "7"}, {"count_only", true}};
  const auto question =
    run("job delete", counting)["question"].get<std::string>();
  EXPECT_EQ(question.find("Job 7 is held."), 0u);
  EXPECT_EQ(run("job hold", counting)["question"], "");
  work().jobs.front().status.state = job_state::completed;
  EXPECT_EQ(run("job delete", counting)["question"], "");
  EXPECT_TRUE(work().job_orders.empty()) << "only counted";
  add_batch(4, batch_state::failed);
  const json batch{{"id", "4"}, {"count_only", true}};
  EXPECT_EQ(run("batch delete", batch)["question"].get<std::string>().find(
              "Batch 4 is failed"),
            0u);
  work().batches.front().status.state = batch_state::completed;
  EXPECT_EQ(run("batch delete", batch)["question"], "");
}

TEST_F(admin_jobs_test, a_batch_that_has_ended_leaves_and_another_is_deleted) {
  add_batch(4, batch_state::completed);
  EXPECT_EQ(run("batch delete", {{"id", "4"}})["removed"], true);
  EXPECT_EQ(work().forgotten.back().id, 4u);
  EXPECT_EQ(work().forgotten.back().user, "ann");
  work().batches.front().status.state = batch_state::failed;
  work().batch_becomes.state = batch_state::deleted;
  EXPECT_EQ(run("batch delete", {{"id", "4"}})["state"], "deleted");
  EXPECT_EQ(work().batch_orders.back().action, work_action::remove);
}

TEST_F(admin_jobs_test, a_cleanup_takes_one_batch_or_all) {
  work().forgotten_count = 3;
  EXPECT_EQ(run("batch cleanup")["batches"], 3);
  EXPECT_EQ(work().forgotten.back().id, 0u);
  add_batch(4, batch_state::processing);
  work().forgotten_count = 0;
  EXPECT_NE(refusal("batch cleanup", {{"id", "4"}}).find("is processing"),
            std::string::npos);
}

// -- many ---------------------------------------------------------------------

TEST_F(admin_jobs_test, many_are_counted_and_moved_by_what_restricts_them) {
  work().bulk = {12, 11};
  const json many{{"collection", "c1"}, {"user", "ann"}};
  auto counting = many;
  counting["count_only"] = true;
  EXPECT_EQ(run("job requeue", counting), (json{{"matched", 12}}));
  EXPECT_TRUE(work().bulk_orders.back().count_only);
  EXPECT_EQ(audit_lines(), 0u);
  EXPECT_EQ(run("job requeue", many), (json{{"matched", 12}, {"moved", 11}}));
  EXPECT_EQ(audit_lines(), 1u);
  const auto& x = work().bulk_orders.back();
  EXPECT_FALSE(x.count_only);
  EXPECT_EQ(x.action, work_action::requeue);
  EXPECT_EQ(x.which.collections, std::vector<std::string>{"c1"});
  EXPECT_EQ(x.which.users, std::vector<std::string>{"ann"});
  EXPECT_EQ(x.which.states, std::vector<job_state>{job_state::failed})
    << "only what can be requeued is counted";
}

TEST_F(admin_jobs_test, many_are_named_or_all_are_meant) {
  EXPECT_NE(refusal("job hold").find("--all"), std::string::npos);
  refusal("job hold", {{"all", false}});
  refusal("job hold", {{"id", "7"}, {"all", true}});
  refusal("job hold", {{"user", "ann"}, {"all", true}});
  refusal("job hold", {{"id", "7"}, {"collection", "c1"}});
  EXPECT_NE(refusal("job hold", {{"state", "failed"}}).find("is failed"),
            std::string::npos);
  refusal("job delete", {{"state", "completed"}});
  EXPECT_TRUE(work().bulk_orders.empty());
  run("job delete", {{"all", true}});
  EXPECT_EQ(work().bulk_orders.back().which.states,
            (std::vector<job_state>{job_state::held, job_state::failed}));
}

// -- limits of operators ------------------------------------------------------

TEST_F(admin_jobs_test, limited_operators_find_only_theirs) {
  add_job(7, job_state::held);
  const json id{{"id", "7"}};
  EXPECT_TRUE(send_limited({"ann"}, {}, "job show", id));
  EXPECT_TRUE(send_limited({}, {"c1"}, "job show", id));
  for (const auto* command : {"job show", "job why", "job release"}) {
    EXPECT_EQ(send_limited({"bob"}, {}, command, id).error(), ec::not_found);
    EXPECT_EQ(send_limited({}, {"c2"}, command, id).error(), ec::not_found);
    EXPECT_EQ(send_limited({"ann"}, {"c2"}, command, id).error(),
              ec::not_found);
  }
  EXPECT_TRUE(work().job_orders.empty());
}

TEST_F(admin_jobs_test, limited_operators_list_and_move_only_theirs) {
  EXPECT_TRUE(send_limited({"ann"}, {"c1", "c2"}, "job list", json::object()));
  EXPECT_EQ(work().job_queries.back().users, std::vector<std::string>{"ann"});
  EXPECT_EQ(work().job_queries.back().collections,
            (std::vector<std::string>{"c1", "c2"}));
  EXPECT_EQ(
    send_limited({}, {"c1"}, "job list", {{"collection", "c2"}}).error(),
    ec::not_allowed);
  EXPECT_EQ(send_limited({"ann"}, {}, "job list", {{"user", "bob"}}).error(),
            ec::not_allowed);
  EXPECT_TRUE(send_limited({}, {"c1"}, "job hold", {{"all", true}}));
  EXPECT_EQ(work().bulk_orders.back().which.collections,
            std::vector<std::string>{"c1"});
  EXPECT_EQ(send_limited({}, {"c1"}, "batch cleanup", json::object()).error(),
            ec::not_allowed);
}

TEST_F(admin_jobs_test, operators_of_collections_have_no_users) {
  for (const auto* command : {"suspend", "sp list"})
    EXPECT_EQ(send_limited({}, {"c1"}, command, json::object()).error(),
              ec::not_allowed);
  EXPECT_EQ(send_limited({}, {"c1"}, "user hold", {{"names", {"ann"}}}).error(),
            ec::not_allowed);
  EXPECT_EQ(send_limited({}, {"c1"}, "park", json::object()).error(),
            ec::not_allowed);
}

TEST_F(admin_jobs_test, row_p13_a_work_item_says_who_has_begun_what) {
  auto& row = add_job(7, job_state::storing);
  row.info.pipeline = "aptrust";
  row.queue = "aptrust.ingest06_storage";
  auto x = run("job show", {{"id", "7"}});
  EXPECT_EQ(x["work_item"]["stage"], "Store");
  EXPECT_EQ(x["work_item"]["status"], "Pending");
  EXPECT_TRUE(x["work_item"]["node"].is_null());
  slots_report::entry slot;
  slot.node = "n2";
  slot.item = 7;
  slot.since_us = 3'000'000;
  world_.slots.entries = {slot};
  x = run("job show", {{"id", "7"}});
  EXPECT_EQ(x["work_item"]["status"], "Started");
  EXPECT_EQ(x["work_item"]["node"], "n2");
  EXPECT_EQ(x["work_item"]["stage_started_at"], "1970-01-01T00:00:03.000Z");
  world_.slots.entries[0].node.clear();
  EXPECT_EQ(run("job show", {{"id", "7"}})["work_item"]["node"], "e1");
  work().jobs.clear();
  add_job(8, job_state::storing);
  EXPECT_FALSE(run("job show", {{"id", "8"}}).contains("work_item"));
}

TEST_F(admin_jobs_test, what_a_worker_outside_has_claimed_has_begun) {
  auto& row = add_job(7, job_state::storing);
  row.info.pipeline = "aptrust";
  row.queue = "aptrust.ingest06_storage";
  set_stages({row.queue});
  pipeline stages{"aptrust", {{.name = "ingest06_storage"}}};
  world_.control.pipelines["aptrust"] = stages;
  world_.explained.live = true;
  world_.explained.item.state = item_state::claimed;
  world_.explained.item.processor = "emodb:storer";
  // Slots inside take some ahead.
  const json id{{"id", "7"}};
  EXPECT_EQ(run("job show", id)["work_item"]["status"], "Pending");
  stages.stages[0].kind = handler_kind::external;
  world_.control.pipelines["aptrust"] = stages;
  const auto x = run("job show", id)["work_item"];
  EXPECT_EQ(x["status"], "Started");
  EXPECT_EQ(x["node"], "emodb:storer");
  EXPECT_TRUE(x["stage_started_at"].is_null());
  EXPECT_EQ(world_.explanations.back().user, "ann");
  world_.explained.item.state = item_state::delayed;
  EXPECT_EQ(run("job show", id)["work_item"]["status"], "Pending");
}

} // namespace
} // namespace depositd::testing
