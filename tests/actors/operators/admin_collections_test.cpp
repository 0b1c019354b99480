// Collections and pipelines, as operators set them.

#include "actors/rules/control/pipelines.hpp"

#include "tests/actors/operators/admin_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_collections_test : public admin_fixture {
protected:
  admin_collections_test() {
    pipeline merritt{"merritt", {}};
    for (const auto* name : {"pending", "store"})
      merritt.stages.push_back(stage_settings{.name = name, .handler = name});
    for (const auto& [name, settings] : rules::queues_of(merritt)) {
      world_.control.queues[name] = settings;
      queue_report report;
      report.name = name;
      report.settings = settings;
      report.ready = 6;
      world_.queues.queues.push_back(report);
    }
    world_.control.pipelines["merritt"] = merritt;
  }

  const json c1{{"name", "c1"}, {"owner", "ann"}};
};

using admin_pipelines_test = admin_collections_test;

TEST_F(admin_collections_test, are_made_with_all_that_is_given) {
  auto all = c1;
  all.update(json{{"submitters", {"bob"}},
                  {"storage", {"local", "vault"}},
                  {"notify", {"a@b.c"}},
                  {"mails", "reports"},
                  {"callback", "https://h/x"},
                  {"callback_key", "s3cret"},
                  {"callback_may_fail", true},
                  {"priority", 7}});
  const auto x = run("collection add", all);
  const auto is = proposed<collection_changed>().settings;
  EXPECT_EQ(is.owner, "ann");
  EXPECT_EQ(is.submitters, std::vector<std::string>{"bob"});
  EXPECT_EQ(is.pipeline, "merritt");
  EXPECT_EQ(is.storage, (std::vector<std::string>{"local", "vault"}));
  EXPECT_EQ(is.notify, std::vector<std::string>{"a@b.c"});
  EXPECT_EQ(is.mails, notices::reports);
  EXPECT_EQ(is.callback_key, "s3cret");
  EXPECT_TRUE(is.callback_may_fail);
  EXPECT_TRUE(is.has_priority);
  EXPECT_EQ(is.priority, 7);
  EXPECT_EQ(x["callback_key"], true);
  EXPECT_EQ(x["priority"], 7);
  EXPECT_EQ(x["held"], false);
}

TEST_F(admin_collections_test, keep_the_key_of_callbacks_to_themselves) {
  auto with_key = c1;
  with_key["callback"] = "http://h/cb?a=b&token=s3cret&k=s3cret";
  with_key["callback_key"] = "s3cret";
  run("collection add", with_key);
  for (const auto* command : {"collection show", "collection list"}) {
    const auto text = *send(command, command == std::string{"collection show"}
                                       ? R"({"name":"c1"})"
                                       : "{}");
    EXPECT_NE(text.find("\"callback_key\":true"), std::string::npos) << text;
    EXPECT_EQ(text.find("s3cret"), std::string::npos);
    EXPECT_NE(text.find("http://h/cb?***"), std::string::npos) << text;
  }
  EXPECT_EQ(log_.str().find("s3cret"), std::string::npos) << log_.str();
  run("collection set", {{"name", "c1"}, {"callback", ""}});
  EXPECT_EQ(proposed<collection_changed>().settings.callback_key, "");
}

TEST_F(admin_collections_test, that_make_no_sense_are_refused) {
  run("collection add", c1);
  world_.proposals.clear();
  const auto add = [&](json more, ec code = ec::invalid_argument) {
    json x{{"name", "c2"}, {"owner", "ann"}};
    x.update(more);
    return refusal("collection add", x, code);
  };
  add({{"name", "C1"}}, ec::already_exists);
  add({{"name", "a/b"}});
  add({{"owner", nullptr}});
  add({{"submitters", {"a/b"}}});
  add({{"pipeline", "other"}}, ec::not_found);
  add({{"storage", json::array()}});
  EXPECT_EQ(add({{"storage", {"local", "attic"}}}, ec::not_found),
            "no such storage: \"attic\"; known: local, vault");
  EXPECT_EQ(add({{"pipeline", "aptrust_fixity_check"}}),
            "the pipeline aptrust_fixity_check is for orders alone; known: "
            "merritt");
  add({{"notify", {"nobody"}}});
  add({{"notify", {"a@b\nBcc: c@d"}}});
  add({{"callback", "ftp://h/x"}});
  add({{"callback", "http://"}});
  add({{"priority", 100}});
  add({{"mails", "some"}});
  for (const auto* command :
       {"collection set", "collection show", "collection remove",
        "collection hold", "collection release"})
    refusal(command, {{"name", "c9"}}, ec::not_found);
  EXPECT_TRUE(world_.proposals.empty());
}

TEST_F(admin_collections_test, change_only_where_something_is_given) {
  run("collection add", c1);
  run("collection set", {{"name", "c1"}, {"priority", 3}});
  run("collection set", {{"name", "c1"}, {"submitters", {"bob"}}});
  EXPECT_EQ(world_.control.collections["c1"].priority, 3);
  run("collection set", {{"name", "c1"}, {"priority", "none"}});
  EXPECT_FALSE(world_.control.collections["c1"].has_priority);
  world_.proposals.clear();
  run("collection set", {{"name", "c1"}, {"submitters", {"bob"}}});
  EXPECT_TRUE(world_.proposals.empty());
  EXPECT_EQ(run("collection remove", {{"name", "c1"}})["removed"], true);
  EXPECT_TRUE(world_.control.collections.empty());
}

TEST_F(admin_collections_test, stay_while_a_batch_of_theirs_has_not_ended) {
  run("collection add", c1);
  batch_row row;
  row.id = 9;
  world_.work.batches = {row};
  world_.proposals.clear();
  const auto why =
    refusal("collection remove", {{"name", "c1"}}, ec::invalid_argument);
  EXPECT_NE(why.find("batch 9 of c1 has not ended"), std::string::npos) << why;
  EXPECT_TRUE(world_.proposals.empty());
  const auto& asked = world_.work.batch_queries.back();
  EXPECT_EQ(asked.collections, std::vector<std::string>{"c1"});
  for (const auto ended : {batch_state::completed, batch_state::deleted})
    EXPECT_EQ(std::count(asked.states.begin(), asked.states.end(), ended), 0);
  world_.work.batches.clear();
  EXPECT_EQ(run("collection remove", {{"name", "c1"}})["removed"], true)
    << "and others go on";
}

TEST_F(admin_collections_test, a_release_counts_jobs_and_moves_them_if_told) {
  run("collection add", c1);
  EXPECT_EQ(run("collection hold", {{"name", "c1"}})["held"], true);
  world_.work.bulk = {5, 0};
  auto x = run("collection release", {{"name", "c1"}});
  EXPECT_EQ(x["held"], false);
  EXPECT_EQ(x["held_jobs"], 5);
  EXPECT_TRUE(world_.work.bulk_orders.back().count_only);
  EXPECT_FALSE(world_.control.collections["c1"].held);
  world_.work.bulk = {5, 4};
  x = run("collection release", {{"name", "c1"}, {"jobs", true}});
  EXPECT_EQ(x["released_jobs"], 4);
  EXPECT_EQ(x["held_jobs"], 1);
  const auto& order = world_.work.bulk_orders.back();
  EXPECT_FALSE(order.count_only);
  EXPECT_EQ(order.action, work_action::release);
  EXPECT_EQ(order.which.collections, std::vector<std::string>{"c1"});
  EXPECT_EQ(order.which.states, std::vector<job_state>{job_state::held});
}

TEST_F(admin_collections_test, a_release_says_what_did_not_happen) {
  run("collection add", c1);
  run("collection hold", {{"name", "c1"}});
  world_.work.refusal = caf::make_error(ec::draining, std::string{"no"});
  EXPECT_EQ(run("collection release", {{"name", "c1"}})["held_jobs"], nullptr);
  EXPECT_EQ(refusal("collection release", {{"name", "c1"}, {"jobs", true}},
                    ec::overloaded),
            "it is released, but not all of its jobs: no");
}

// -- pipelines ----------------------------------------------------------------

TEST_F(admin_pipelines_test, are_shown_stage_by_stage) {
  const auto x = run("pipeline show", {{"name", "merritt"}});
  ASSERT_EQ(x["stages"].size(), 2u);
  EXPECT_EQ(x["stages"][1]["name"], "store");
  EXPECT_EQ(x["stages"][1]["handler"], "store");
  EXPECT_EQ(x["stages"][1]["workers"], 4);
  EXPECT_EQ(x["stages"][1]["waiting"], 6);
  EXPECT_EQ(x["batch"]["queue"], "merritt.batch");
  EXPECT_EQ(x["paused"], false);
  EXPECT_EQ(run("pipeline list")["pipelines"][0]["name"], "merritt");
  refusal("pipeline show", {{"name", "x"}}, ec::not_found);
}

TEST_F(admin_pipelines_test, what_waits_in_a_stage_that_is_gone_is_shown) {
  EXPECT_FALSE(run("pipeline show", {{"name", "merritt"}}).contains("gone"));
  queue_report report;
  report.settings.kind = queue_kind::stage;
  report.ready = 3;
  for (const auto* name : {"merritt.weigh", "merritt.more.weigh", "merritt"}) {
    report.name = name;
    world_.queues.queues.push_back(report);
  }
  report.name = "merritt.empty";
  report.ready = 0;
  world_.queues.queues.push_back(report);
  const auto gone = run("pipeline show", {{"name", "merritt"}})["gone"];
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone[0]["queue"], "merritt.weigh");
  EXPECT_EQ(gone[0]["waiting"], 3);
}

TEST_F(admin_pipelines_test, have_stages_that_are_set_one_by_one) {
  const auto x =
    run("pipeline set",
        {{"name", "merritt.store"}, {"workers", 2}, {"attempts_max", 3}});
  EXPECT_EQ(x, json::parse(R"({"pipeline":"merritt","stage":"store",
    "workers":2,"buffer":0,"attempts_max":3})"));
  const auto stages = proposed<pipeline_changed>().what.stages;
  EXPECT_EQ(stages[1].workers, 2u);
  EXPECT_EQ(stages[0].workers, 4u);
  world_.proposals.clear();
  run("pipeline set", {{"name", "merritt.store"}, {"workers", 2}});
  EXPECT_TRUE(world_.proposals.empty()) << "it is so already";
  refusal("pipeline set", {{"name", "merritt.store"}});
  refusal("pipeline set", {{"name", "merritt.store"}, {"workers", 1'001}});
  refusal("pipeline set", {{"name", "merritt.store"}, {"attempts_max", 0}});
  for (const auto* name : {"merritt", "merritt.x", "merritt.batch", "x.store"})
    refusal("pipeline set", {{"name", name}, {"workers", 1}}, ec::not_found);
}

TEST_F(admin_pipelines_test, are_paused_as_a_whole_or_by_stage) {
  run("pipeline pause", {{"name", "merritt.store"}});
  EXPECT_EQ(proposed<queue_changed>().queue, "merritt.store");
  EXPECT_TRUE(proposed<queue_changed>().settings.suspended);
  EXPECT_EQ(run("pipeline pause", {{"name", "merritt"}})["stages"].size(), 4u);
  EXPECT_EQ(world_.proposals.back().size(), 3u) << "one was paused before";
  run("pipeline unpause", {{"name", "merritt.batch"}});
  EXPECT_FALSE(proposed<queue_changed>().settings.suspended);
  run("pipeline unpause", {{"name", "merritt"}});
  for (const auto* name : {"batch", "report", "pending", "store"})
    EXPECT_FALSE(
      world_.control.queues[std::string{"merritt."} + name].suspended);
  for (const auto* name : {"x", "merritt.x", "metadata"})
    refusal("pipeline pause", {{"name", name}}, ec::not_found);
}

TEST_F(admin_pipelines_test, their_queues_are_no_queues_of_items) {
  for (const auto* name : {"merritt.store", "merritt.batch"}) {
    EXPECT_NE(refusal("queue purge", {{"name", name}}).find("job delete"),
              std::string::npos);
    refusal("park", {{"queue", name}});
    refusal("unpark", {{"queue", name}, {"count_only", true}});
  }
  EXPECT_TRUE(world_.purged.empty());
  EXPECT_TRUE(world_.parkings.empty());
  run("queue purge", {{"name", "query"}});
  run("park", {{"queue", "query"}});
  EXPECT_EQ(world_.parkings.size(), 1u);
}

} // namespace
} // namespace depositd::testing
