// Whether stored files are what they were.

#include "adapters/processing/aptrust/orders/reporting.hpp"
#include "tests/adapters/processing/aptrust/orders/order_world.hpp"

#include <set>

namespace depositd::aptrust::testing {
namespace {

constexpr micros day = micros{86'400} * 1'000'000;

class fixity : public order_world {
protected:
  micros days_ago(std::int64_t days) const {
    return engine_clock::system().now() - days * day;
  }

  static preservation_order check_of(const std::string& object,
                                     const std::string& file = "data/a") {
    return an_order(order_kind::fixity_check, object, file);
  }

  std::vector<premis_event> checks(const std::string& object) {
    return events(object, premis_types::fixity_check);
  }

  /// As it was recorded before anybody wrote down where a version went.
  void store_before(const std::string& object, const std::string& bytes,
                    const std::string& in) {
    store(object, {{"data/a", bytes}}, {}, days_ago(91));
    store_unrecorded(object, {{"data/a", bytes}}, in);
    inventory_entry again;
    again.identifier = object;
    again.collection = "photos";
    again.owner = "INST";
    again.storage = {in};
    again.version = {.number = 1, .job = "jid-again-of-" + object, .files = 1};
    again.files = {{"data/a", bytes.size(), sha512_of(bytes)}};
    ASSERT_FALSE(tools->inventory->record(again));
  }
};

TEST_F(fixity, row_p29_what_was_checked_yesterday_is_left_alone) {
  store("inst/x", {{"data/a", "a"}}, {"local"}, days_ago(1));
  EXPECT_EQ(run(check_of("inst/x")).says, verdict::skip);
  EXPECT_TRUE(checks("inst/x").empty());
  EXPECT_EQ(targets["local"]->reads, 0);
}

TEST_F(fixity, row_p29_what_is_due_is_read_and_recorded) {
  store("inst/x", {{"data/a", "a"}}, {"local", "far"}, days_ago(91));
  const auto out = run(check_of("inst/x"));
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(targets["local"]->reads, 1);
  EXPECT_EQ(targets["far"]->reads, 1) << "every copy";
  const auto all = checks("inst/x");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].outcome, premis_success);
  EXPECT_EQ(all[0].file, "data/a");
  EXPECT_EQ(run(check_of("inst/x")).says, verdict::skip)
    << "and is not due any more";
}

TEST_F(fixity, row_p29_cold_storage_is_not_read) {
  tools->cold_storage = {"far"};
  store("inst/x", {{"data/a", "a"}}, {"far"}, days_ago(91));
  EXPECT_EQ(run(check_of("inst/x")).says, verdict::skip);
  EXPECT_TRUE(checks("inst/x").empty());
  EXPECT_EQ(targets["far"]->reads, 0);
  store("inst/y", {{"data/a", "a"}}, {"local", "far"}, days_ago(91));
  EXPECT_EQ(run(check_of("inst/y")).says, verdict::done);
  EXPECT_EQ(targets["far"]->reads, 0) << "nor beside a copy that is at hand";
}

TEST_F(fixity, row_p30_a_mismatch_is_recorded_and_needs_review) {
  store("inst/x", {{"data/a", "a file"}}, {"local"}, days_ago(91));
  damage("local", "a file");
  const auto out = run(check_of("inst/x"));
  EXPECT_EQ(out.says, verdict::failed) << "at once: no requeue";
  EXPECT_TRUE(says(out, "data/a")) << out.reason;
  EXPECT_TRUE(says(out, "SHA-512")) << out.reason;
  const auto all = checks("inst/x");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].outcome, premis_failure);
  EXPECT_NE(all[0].outcome_detail.find("local"), std::string::npos);
}

TEST_F(fixity, row_p30_one_bad_copy_among_good_ones_is_found) {
  store("inst/x", {{"data/a", "a file"}}, {"local", "far"}, days_ago(91));
  damage("far", "a file");
  const auto out = run(check_of("inst/x"));
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_TRUE(says(out, "far")) << out.reason;
}

TEST_F(fixity, an_inventory_that_is_behind_is_no_damage) {
  store("inst/x", {{"data/a", "a"}, {"data/b", "b"}}, {"local"}, days_ago(91));
  store_unrecorded("inst/x", {{"data/a", "later"}});
  for (const auto* path : {"data/a", "data/b"}) {
    const auto out = run(check_of("inst/x", path));
    EXPECT_EQ(out.says, verdict::done) << path << ": " << out.reason;
  }
  EXPECT_EQ(targets["local"]->shows, 0) << "no list for a single file";
}

TEST_F(fixity, the_bytes_of_another_version_are_none_of_this_one) {
  store("inst/x", {{"data/a", "a"}}, {"local"}, days_ago(91));
  targets["local"]->remove("inst/x");
  store_unrecorded("inst/x", {{"data/a", "later"}});
  const auto out = run(check_of("inst/x"));
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_TRUE(says(out, "no version")) << out.reason;
}

TEST_F(fixity, storage_that_is_used_no_more_lacks_nothing_that_came_later) {
  store("inst/x", {{"data/a", "a"}, {"data/b", "b"}}, {"far"}, days_ago(91));
  collection.storage = {"local"};
  record_more("inst/x", {{"data/a", "later"}, {"data/b", "b"}}, {"local"},
              days_ago(91));
  for (const auto* path : {"data/a", "data/b"}) {
    const auto out = run(check_of("inst/x", path));
    EXPECT_EQ(out.says, verdict::done) << path << ": " << out.reason;
  }
  EXPECT_EQ(targets["far"]->reads, 1) << "what it has is still compared";
  EXPECT_EQ(checks("inst/x").size(), 2u);
}

TEST_F(fixity, storage_that_is_used_no_more_keeps_what_it_has) {
  store("inst/x", {{"data/a", "a file"}}, {"local", "far"}, days_ago(91));
  collection.storage = {"local"};
  damage("far", "a file");
  EXPECT_EQ(run(check_of("inst/x")).says, verdict::failed);
  store("inst/y", {{"data/a", "another"}}, {"local", "far"}, days_ago(91));
  targets["far"]->remove("inst/y");
  EXPECT_EQ(run(check_of("inst/y")).says, verdict::failed)
    << "the whole object is gone";
}

TEST_F(fixity, storage_that_is_used_again_lacks_nothing_that_came_between) {
  store("inst/x", {{"data/a", "a"}}, {"local"}, days_ago(91));
  collection.storage = {"far"};
  record_more("inst/x", {{"data/a", "a"}, {"data/b", "b"}}, {"far"},
              days_ago(91));
  collection.storage = {"local"};
  const auto out = run(check_of("inst/x", "data/b"));
  EXPECT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(targets["far"]->reads, 1);
  EXPECT_EQ(checks("inst/x").size(), 1u);
}

TEST_F(fixity, what_nobody_wrote_down_is_what_the_collection_uses) {
  for (const auto* used : {"local", "far"}) {
    const auto object = std::string{"inst/"} + used;
    store_before(object, "a file", "far");
    targets["far"]->remove(object);
    store_unrecorded(object, {{"data/a", "another"}}, "far");
    collection.storage = {used};
    const auto out = run(check_of(object));
    EXPECT_EQ(out.says == verdict::failed, collection.storage[0] == "far")
      << used << ": " << out.reason;
  }
}

TEST_F(fixity, storage_that_lost_the_last_version_is_found_in_any_case) {
  for (const auto* used : {"local", "far"}) {
    const auto object = std::string{"inst/"} + used;
    store(object, {{"data/a", "a"}}, {"local", "far"}, days_ago(91));
    record_more(object, {{"data/a", "later"}}, {"local", "far"}, days_ago(91));
    targets["far"]->remove(object);
    store_unrecorded(object, {{"data/a", "a"}}, "far");
    collection.storage = {used};
    const auto out = run(check_of(object));
    EXPECT_EQ(out.says, verdict::failed) << used << ": " << out.reason;
  }
}

TEST_F(fixity, nothing_is_said_of_what_only_storage_of_others_has) {
  store("inst/x", {{"data/a", "a"}}, {"far"}, days_ago(91));
  collection.storage = {"local"};
  record_more("inst/x", {{"data/a", "later"}}, {"local"}, days_ago(91));
  tools->storage.erase("local");
  EXPECT_EQ(run(check_of("inst/x")).says, verdict::retry);
  EXPECT_TRUE(checks("inst/x").empty());
}

TEST_F(fixity, what_is_stored_is_compared_without_its_collection_too) {
  store("inst/x", {{"data/a", "a file"}}, {"local"}, days_ago(91));
  has_collection = false;
  const auto out = run(check_of("inst/x"));
  EXPECT_EQ(out.says, verdict::done) << out.reason;
  damage("local", "a file");
  auto again = check_of("inst/x");
  again.anyway = true;
  EXPECT_EQ(run(again).says, verdict::failed);
}

TEST_F(fixity, copies_that_cannot_be_asked_for_are_named) {
  store("inst/x", {{"data/a", "a"}}, {"local", "far"}, days_ago(91));
  tools->storage.erase("far");
  const auto out = run(check_of("inst/x"));
  EXPECT_EQ(out.says, verdict::done);
  EXPECT_EQ(out.reason, "not compared: storage far is not set up here");
  const auto all = checks("inst/x");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].outcome_detail.ends_with("; " + out.reason))
    << all[0].outcome_detail;
}

TEST_F(fixity, tries_again_while_storage_is_away_and_records_nothing) {
  store("inst/x", {{"data/a", "a"}}, {"local"}, days_ago(91));
  targets["local"]->away = true;
  EXPECT_EQ(run(check_of("inst/x")).says, verdict::retry);
  EXPECT_TRUE(checks("inst/x").empty());
}

TEST_F(fixity, is_done_anyway_if_somebody_insists) {
  store("inst/x", {{"data/a", "a"}}, {"local"}, days_ago(1));
  auto order = check_of("inst/x");
  order.anyway = true;
  EXPECT_EQ(run(order).says, verdict::done);
  EXPECT_EQ(checks("inst/x").size(), 1u);
}

TEST_F(fixity, says_nothing_ill_of_what_is_no_longer_there) {
  EXPECT_EQ(run(check_of("inst/none")).says, verdict::skip);
  store("inst/x", {{"data/a", "a"}}, {"local"}, days_ago(91));
  EXPECT_EQ(run(check_of("inst/x", "data/none")).says, verdict::skip);
  EXPECT_TRUE(checks("inst/x").empty());
}

TEST_F(fixity, a_repeat_of_one_job_records_one_event) {
  store("inst/x", {{"data/a", "a"}}, {"local"}, days_ago(91));
  auto order = check_of("inst/x");
  order.anyway = true;
  auto job = job_of(order);
  ASSERT_EQ(run("fixity_check", job).says, verdict::done);
  auto again = job_of(order);
  ASSERT_EQ(run("fixity_check", again).says, verdict::done);
  EXPECT_EQ(checks("inst/x").size(), 1u);
}

TEST_F(fixity, of_an_object_is_a_job_for_each_file) {
  contents files;
  for (int i = 0; i < 1'200; ++i)
    files["data/" + std::to_string(i)] = std::to_string(i);
  store("inst/x", files);
  const auto jobs = split(an_order(order_kind::fixity_check, "inst/x"));
  ASSERT_EQ(jobs.size(), 1'200u) << last_split.reason;
  std::set<std::string> paths;
  std::set<std::string> uuids;
  for (const auto& job : jobs) {
    const auto order = order_in(job.more);
    ASSERT_TRUE(order && *order);
    paths.insert((**order).file);
    uuids.insert(job.uuid);
    EXPECT_EQ((**order).object, "inst/x");
    EXPECT_FALSE(job.more.contains(work_item_member));
  }
  EXPECT_EQ(paths.size(), 1'200u);
  EXPECT_EQ(uuids.size(), 1'200u);
}

TEST_F(fixity, of_what_is_due_is_a_job_for_each_file_too) {
  preservation_order due;
  due.kind = order_kind::fixity_check;
  due.asked_by = "reconciler fixity";
  due.files = {{"inst/x", "data/a"}, {"inst/y", "data/b"}};
  const auto jobs = split(due);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[1].what.identifier, "inst/y");
  EXPECT_EQ(jobs[1].payload.file_name, "data/b");
}

TEST_F(fixity, nobody_hears_of_checks_that_have_found_nothing) {
  const auto reporter =
    make_order_reporter(tools, [](const stages::stage_task&) {
      outcome out;
      out.reason = "mailed";
      return out;
    });
  const auto reported = [&](order_kind kind, std::uint64_t failed) {
    const auto made =
      make_order(an_order(kind, "inst/x"), {.uuid = "bid-1",
                                            .user = "INST",
                                            .collection = "photos",
                                            .source = "engine"});
    batch_row row;
    row.id = 500;
    row.info = made.info;
    row.jobs.split = true;
    row.jobs.failed = failed;
    known->rows = {row};
    handle_item item;
    item.item.id = 500;
    item.item.body = encode(made.document);
    return reporter({item, stage, &collection}).reason;
  };
  EXPECT_EQ(reported(order_kind::fixity_check, 0), "");
  EXPECT_EQ(reported(order_kind::fixity_check, 1), "mailed");
  EXPECT_EQ(reported(order_kind::restore_object, 0), "mailed");
}

} // namespace
} // namespace depositd::aptrust::testing
