// What is stored, as operators look at it.

#include "tests/actors/operators/admin_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_objects_test : public admin_fixture {
protected:
  static inventory_object an_object(const std::string& identifier,
                                    const std::string& owner = "ann") {
    inventory_object out;
    out.identifier = identifier;
    out.collection = "maps";
    out.owner = owner;
    out.local_ids = {"l1"};
    out.storage = {"local"};
    for (const std::uint32_t number : {1, 2}) {
      inventory_version one;
      one.number = number;
      one.job = "jid-" + std::to_string(number);
      one.batch = "bid-1";
      one.user = "bob";
      one.title = "A Map " + std::to_string(number);
      one.bytes = 10 * number;
      one.files = number;
      one.recorded_us = 1'000'000 * number;
      out.versions.push_back(one);
    }
    return out;
  }

  batch_row a_batch(item_id id, micros at, const std::string& user = "bob") {
    batch_row out;
    out.id = id;
    out.user = user;
    out.info.collection = "maps";
    out.received_us = at;
    out.jobs.completed = 3;
    out.jobs.failed = 1;
    out.jobs.open = 2;
    return out;
  }
};

TEST_F(admin_objects_test, lists_pass_every_filter_on_and_tell_the_last) {
  world_.objects = {an_object("ark:/1/a")};
  const auto x = run("object list", {{"collection", "maps"},
                                     {"user", "ann"},
                                     {"identifier", "ark:/1/a"},
                                     {"local_id", "l1"},
                                     {"title", "map"},
                                     {"file_name", "tif"},
                                     {"after", "ark:/1"},
                                     {"limit", 5}});
  ASSERT_EQ(world_.searches.size(), 1u);
  ASSERT_EQ(world_.searches[0].any.size(), 1u);
  const auto& asked = world_.searches[0].any[0];
  EXPECT_EQ(asked.collection, "maps");
  EXPECT_EQ(asked.owner, "ann");
  EXPECT_EQ(asked.identifier, "ark:/1/a");
  EXPECT_EQ(asked.local_id, "l1");
  EXPECT_EQ(asked.title, "map");
  EXPECT_EQ(asked.file_name, "tif");
  EXPECT_EQ(asked.after, "ark:/1");
  ASSERT_EQ(x["objects"].size(), 1u);
  EXPECT_EQ(x["objects"][0]["identifier"], "ark:/1/a");
  EXPECT_EQ(x["objects"][0]["versions"], 2);
  EXPECT_EQ(x["objects"][0]["bytes"], 30);
  EXPECT_EQ(x["objects"][0]["title"], "A Map 2");
  EXPECT_FALSE(x.contains("next"));
}

TEST_F(admin_objects_test, a_page_says_where_the_next_begins) {
  world_.objects = {an_object("a"), an_object("b"), an_object("c")};
  const auto x = run("object list", {{"limit", 2}});
  EXPECT_EQ(x["objects"].size(), 2u);
  EXPECT_EQ(x["next"], "b");
}

TEST_F(admin_objects_test, a_text_is_looked_for_everywhere) {
  world_.objects = {an_object("a")};
  run("object find", {{"text", "ghent"}});
  const auto& any = world_.searches.at(0).any;
  ASSERT_EQ(any.size(), 4u);
  EXPECT_EQ(any[0].identifier, "ghent");
  EXPECT_EQ(any[1].local_id, "ghent");
  EXPECT_EQ(any[2].title, "ghent");
  EXPECT_EQ(any[3].file_name, "ghent");
  refusal("object find", {{"text", ""}});
  refusal("object find", {{"text", std::string(1'025, 'x')}});
}

TEST_F(admin_objects_test, one_is_found_however_its_ark_is_written) {
  world_.objects = {an_object("ark:/1/a")};
  for (const auto* command : {"object show", "object history"}) {
    run(command, {{"identifier", "ark:1/a"}});
    const auto& any = world_.searches.back().any;
    ASSERT_EQ(any.size(), 2u);
    EXPECT_EQ(any[0].identifier, "ark:1/a");
    EXPECT_EQ(any[1].identifier, "ark:/1/a");
  }
  run("object show", {{"identifier", "ark:/1/a"}});
  EXPECT_EQ(world_.searches.back().any.size(), 1u);
  // So are its jobs, and what is told of one that is deleted.
  EXPECT_EQ(world_.work.job_queries.back().identifier, "ark:/1/a");
  world_.objects.clear();
  run("object history", {{"identifier", "ark:1/b"}});
  EXPECT_EQ(world_.work.job_queries.back().identifier, "ark:/1/b");
  world_.events = {{.id = "e1", .object = "ark:/1/a", .owner = "bob"}};
  run("object events", {{"identifier", "ark:1/a"}});
  EXPECT_EQ(world_.event_queries.back().object, "ark:/1/a");
}

TEST_F(admin_objects_test, one_is_shown_with_its_versions) {
  world_.objects = {an_object("ark:/1/a")};
  const auto x = run("object show", {{"identifier", "ark:/1/a"}});
  ASSERT_EQ(x["versions"].size(), 2u);
  EXPECT_EQ(x["versions"][1]["job"], "jid-2");
  EXPECT_EQ(x["versions"][1]["bytes"], 20);
  world_.objects.clear();
  refusal("object show", {{"identifier", "ark:/1/a"}}, ec::not_found);
  refusal("object files", {{"identifier", "ark:/1/a"}}, ec::not_found);
}

TEST_F(admin_objects_test, files_come_in_pages_by_their_paths) {
  world_.objects = {an_object("a")};
  world_.object_files = {
    {"producer/b", 2, "bb"}, {"producer/a", 1, "aa"}, {"system/c", 3, "cc"}};
  auto x = run("object files", {{"identifier", "a"}, {"limit", 2}});
  EXPECT_EQ(x["version"], 2);
  EXPECT_EQ(x["files"][0]["path"], "producer/a");
  EXPECT_EQ(x["next"], "producer/b");
  x = run("object files",
          {{"identifier", "a"}, {"version", 1}, {"after", "producer/b"}});
  EXPECT_EQ(x["version"], 1);
  ASSERT_EQ(x["files"].size(), 1u);
  EXPECT_EQ(x["files"][0]["sha512"], "cc");
}

TEST_F(admin_objects_test, events_come_in_pages) {
  world_.objects = {an_object("a")};
  for (const auto* id : {"e1", "e2", "e3"})
    world_.events.push_back({.id = id,
                             .type = premis_types::ingestion,
                             .outcome = premis_success,
                             .object = "a"});
  const auto x =
    run("object events",
        {{"identifier", "a"}, {"type", "ingestion"}, {"limit", 2}});
  ASSERT_EQ(x["events"].size(), 2u);
  EXPECT_EQ(x["events"][0]["type"], "ingestion");
  EXPECT_EQ(x["next"], "e2");
  ASSERT_EQ(world_.event_queries.size(), 1u);
  EXPECT_EQ(world_.event_queries[0].type, "ingestion");
  EXPECT_EQ(world_.event_queries[0].count_max, 3u);
}

TEST_F(admin_objects_test, events_outlive_their_object) {
  refusal("object events", {{"identifier", "a"}}, ec::not_found);
  world_.events = {{.id = "e1",
                    .type = premis_types::ingestion,
                    .object = "a",
                    .owner = "bob"},
                   {.id = "e2",
                    .type = premis_types::deletion,
                    .object = "a",
                    .owner = "bob"}};
  const auto x = run("object events", {{"identifier", "a"}});
  ASSERT_EQ(x["events"].size(), 2u);
  EXPECT_EQ(x["events"][1]["type"], "deletion");
}

TEST_F(admin_objects_test, H_history_joins_versions_and_jobs_of_all_batches) {
  world_.objects = {an_object("ark:/1/a")};
  job_row job;
  job.id = 12;
  job.batch = 3;
  job.user = "bob";
  job.facts.identifier = "ark:/1/a";
  job.status.state = job_state::failed;
  world_.work.jobs = {job};
  auto x = run("object history", {{"identifier", "ark:/1/a"}});
  EXPECT_EQ(world_.work.job_queries.at(0).identifier, "ark:/1/a");
  EXPECT_EQ(x["versions"].size(), 2u);
  ASSERT_EQ(x["jobs"].size(), 1u);
  EXPECT_EQ(x["jobs"][0]["state"], "failed");
  world_.objects.clear(); // it was never stored
  x = run("object history", {{"identifier", "ark:/1/a"}});
  EXPECT_TRUE(x["versions"].empty());
  EXPECT_EQ(x["jobs"].size(), 1u);
}

TEST_F(admin_objects_test, space_is_told_by_collection) {
  world_.use = {{"books", 1, 1, 2, 7, 0}, {"maps", 2, 3, 4, 50, 20}};
  auto x = run("collection use", {{"since_us", 1'000'000}});
  EXPECT_EQ(x["collections"].size(), 2u);
  EXPECT_EQ(x["collections"][1]["bytes_since"], 20);
  EXPECT_EQ(x["bytes"], 57);
  x = run("collection use", {{"collection", "maps"}});
  ASSERT_EQ(x["collections"].size(), 1u);
  EXPECT_EQ(x["collections"][0]["collection"], "maps");
  EXPECT_EQ(x["since"], nullptr);
}

constexpr micros november = 1'793'491'200'000'000; // 2026-11-01
constexpr micros day = 86'400'000'000;

TEST_F(admin_objects_test, a_month_has_its_batches_and_what_was_recorded) {
  world_.work.batches = {a_batch(5, november + 30 * day),     // December
                         a_batch(4, november + 30 * day - 1), // its last moment
                         a_batch(3, november + day, "ann"),   //
                         a_batch(2, november),                // its first
                         a_batch(1, november - 1)};           // October
  world_.recorded = {{"maps", "bob", 2, 3, 4, 100},
                     {"maps", "cyd", 1, 1, 1, 9}};
  const auto x = run("report month", {{"month", "2026-11"}});
  ASSERT_EQ(world_.measured.size(), 1u);
  EXPECT_EQ(world_.measured[0].what.from_us, november);
  EXPECT_EQ(world_.measured[0].what.until_us, november + 30 * day);
  ASSERT_EQ(x["lines"].size(), 3u);
  EXPECT_EQ(x["lines"][0]["user"], "ann");
  const auto& bob = x["lines"][1];
  EXPECT_EQ(bob["collection"], "maps");
  EXPECT_EQ(bob["user"], "bob");
  EXPECT_EQ(bob["batches"], 2);
  EXPECT_EQ(bob["jobs"]["completed"], 6);
  EXPECT_EQ(bob["jobs"]["failed"], 2);
  EXPECT_EQ(bob["jobs"]["open"], 4);
  EXPECT_EQ(bob["versions"], 3);
  EXPECT_EQ(bob["bytes"], 100);
  EXPECT_EQ(x["lines"][2]["user"], "cyd") << "of a batch before";
  EXPECT_EQ(x["total"]["batches"], 3);
  EXPECT_EQ(x["total"]["bytes"], 109);
}

TEST_F(admin_objects_test, a_month_may_have_more_batches_than_a_page) {
  constexpr item_id count = 2'300;
  for (auto id = count; id > 0; --id)
    world_.work.batches.push_back(
      a_batch(id, november + static_cast<micros>(id)));
  auto x = run("report month", {{"month", "2026-11"}});
  EXPECT_EQ(x["total"]["batches"], count);
  EXPECT_EQ(world_.work.batch_queries.size(), 3u);
  // The last page is full, and there is none behind it.
  world_.work.batches.resize(1'000);
  x = run("report month", {{"month", "2026-11"}});
  EXPECT_EQ(x["total"]["batches"], 1'000);
}

TEST_F(admin_objects_test, a_month_of_one_user_is_asked_for_as_such) {
  run("report month",
      {{"month", "2026-11"}, {"user", "bob"}, {"collection", "maps"}});
  EXPECT_EQ(world_.measured.at(0).what.user, "bob");
  EXPECT_EQ(world_.measured.at(0).what.collection, "maps");
}

TEST_F(admin_objects_test, a_month_as_a_table_has_no_formulas) {
  world_.recorded = {{"=maps", "bob", 2, 3, 4, 100}};
  const auto x = run("report month", {{"month", "2026-11"}, {"csv", true}});
  const std::string csv = x["csv"];
  EXPECT_EQ(csv.find("month,collection,user,batches,"), 0u) << csv;
  EXPECT_EQ(csv.find("\n="), std::string::npos);
  EXPECT_EQ(csv.find(",="), std::string::npos) << csv;
  EXPECT_NE(csv.find("'=maps"), std::string::npos) << csv;
}

TEST_F(admin_objects_test, what_is_no_month_is_refused) {
  for (const auto* text :
       {"", "2026", "2026-13", "2026-00", "26-11", "2026-1", "2026/11",
        "2026-1x", "abcd-ef", "1969-12", "2026-111"})
    refusal("report month", {{"month", text}});
  EXPECT_TRUE(world_.measured.empty());
  run("report month", {{"month", "2026-12"}});
  EXPECT_EQ(world_.measured.at(0).what.until_us, november + 61 * day);
}

} // namespace
} // namespace depositd::testing
