// Objects are deleted on the word of two people.

#include "tests/adapters/processing/aptrust/orders/order_world.hpp"

namespace depositd::aptrust::testing {
namespace {

class deleting : public order_world {
protected:
  deleting() {
    store("inst/photos", {{"data/a", "a"}, {"data/b", "b"}}, {"local", "far"});
    store("inst/other", {{"data/c", "c"}});
    request.reference = "del-1";
    request.user = "INST";
    request.targets = {{"inst/photos", "photos"}};
    request.asked_by = "operator=ann";
    request.asked_us = 1;
    request.inst_approver = "operator=bob";
    request.inst_approved_us = 2'000;
    control.deletions["del-1"] = request;
    order = an_order(order_kind::delete_item, "inst/photos");
    order.inst_approver = "operator=bob";
    order.deletion = "del-1";
  }

  void expect_nothing_deleted() {
    EXPECT_TRUE(is_known("inst/photos"));
    EXPECT_TRUE(is_stored("inst/photos", "local"));
    EXPECT_TRUE(is_stored("inst/photos", "far"));
    EXPECT_TRUE(events("inst/photos", premis_types::deletion).empty());
    EXPECT_EQ(targets["local"]->removed + targets["far"]->removed, 0);
  }

  deletion_changed request;
  preservation_order order;
};

TEST_F(deleting, removes_storage_and_inventory_and_keeps_the_events) {
  const auto out = run(order);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_FALSE(is_known("inst/photos"));
  EXPECT_FALSE(is_stored("inst/photos", "local"));
  EXPECT_FALSE(is_stored("inst/photos", "far"));
  EXPECT_TRUE(is_known("inst/other"));
  EXPECT_TRUE(is_stored("inst/other", "local"));
  const auto all = events("inst/photos", premis_types::deletion);
  ASSERT_EQ(all.size(), 3u) << "of the object and of each file";
  for (const auto& one : all) {
    EXPECT_NE(one.detail.find("operator=ann"), std::string::npos);
    EXPECT_NE(one.detail.find("operator=bob"), std::string::npos);
  }
  EXPECT_TRUE(says(out, "operator=bob")) << out.reason;
}

TEST_F(deleting, tells_of_each_file_once_however_many_there_are) {
  inventory_entry many;
  many.identifier = "inst/photos";
  many.collection = "photos";
  many.owner = "INST";
  many.storage = {"local", "far"};
  many.version.number = 2;
  many.version.job = "jid-2";
  many.version.batch = "bid-2";
  many.version.user = "INST";
  many.version.recorded_us = 1'500;
  for (int i = 0; i < 2'001; ++i)
    many.files.push_back({"data/" + std::to_string(i), 1, sha512_of("x")});
  many.version.files = many.files.size();
  ASSERT_FALSE(tools->inventory->record(many));
  ASSERT_EQ(run(order).says, verdict::done);
  std::map<std::string, int> told;
  premis_query query{.object = "inst/photos", .type = premis_types::deletion};
  query.count_max = 3'000;
  const auto all = tools->inventory->events(query);
  ASSERT_TRUE(all) << render(all.error());
  for (const auto& one : *all)
    ++told[one.file];
  EXPECT_EQ(told.size(), 2'002u) << "the object, and its last version's files";
  for (const auto& [file, times] : told)
    EXPECT_EQ(times, 1) << file;
}

TEST_F(deleting, names_all_who_agreed) {
  order.aptrust_approver = "operator=root";
  request.aptrust_approver = "operator=root";
  request.aptrust_approved_us = 3'000;
  control.deletions["del-1"] = request;
  const auto out = run(order);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(out.reason, "deleted, asked for by operator=ann, approved by "
                        "operator=bob and operator=root (del-1)");
}

TEST_F(deleting, nothing_is_deleted_that_came_after_it_was_approved) {
  record_more("inst/photos", {{"data/a", "later"}}, {"local"}, 2'001);
  auto out = run(order);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_TRUE(says(out, "version 2")) << out.reason;
  expect_nothing_deleted();
  control.deletions["del-1"].inst_approved_us = 2'001;
  out = run(order);
  EXPECT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_FALSE(is_known("inst/photos"));
}

TEST_F(deleting, removes_what_an_ingest_has_stored_and_nobody_recorded) {
  request.targets = {{"inst/other", "photos"}};
  control.deletions["del-1"] = request;
  store_unrecorded("inst/other", {{"data/c", "later"}}, "far");
  order.object = "inst/other";
  const auto out = run(order);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_FALSE(is_stored("inst/other", "local"));
  EXPECT_FALSE(is_stored("inst/other", "far"));
}

TEST_F(deleting, row_p23_without_an_approver_nothing_is_deleted) {
  order.inst_approver.clear();
  EXPECT_EQ(run(order).says, verdict::failed);
  expect_nothing_deleted();
  order.inst_approver = "operator=bob";
  order.deletion.clear();
  EXPECT_EQ(run(order).says, verdict::failed);
  expect_nothing_deleted();
}

TEST_F(deleting, row_p23_the_order_alone_is_no_approval) {
  control.deletions.erase("del-1");
  EXPECT_EQ(run(order).says, verdict::retry);
  request.inst_approver.clear();
  control.deletions["del-1"] = request;
  EXPECT_EQ(run(order).says, verdict::retry);
  request.inst_approver = "operator=bob";
  request.rejected_us = 3;
  control.deletions["del-1"] = request;
  EXPECT_EQ(run(order).says, verdict::retry);
  request.rejected_us = never;
  request.targets = {{"inst/other", "photos"}};
  control.deletions["del-1"] = request;
  EXPECT_EQ(run(order).says, verdict::retry);
  expect_nothing_deleted();
}

TEST_F(deleting, can_be_repeated_after_a_crash_in_its_middle) {
  targets["far"]->away = true;
  EXPECT_EQ(run(order).says, verdict::retry);
  EXPECT_TRUE(is_known("inst/photos")) << "it can be found once more";
  targets["far"]->away = false;
  EXPECT_EQ(run(order).says, verdict::done);
  EXPECT_EQ(events("inst/photos", premis_types::deletion).size(), 3u);
  EXPECT_EQ(run(order).says, verdict::skip) << "it was deleted before";
}

TEST_F(deleting, does_nothing_where_some_storage_is_not_set_up) {
  tools->storage.erase("far");
  EXPECT_EQ(run(order).says, verdict::failed);
  EXPECT_TRUE(is_stored("inst/photos", "local"));
}

TEST_F(deleting, the_work_item_names_who_agreed) {
  const auto jobs = split(order);
  ASSERT_EQ(jobs.size(), 1u);
  const auto item = work_item_in(jobs[0].more);
  ASSERT_TRUE(item && *item);
  EXPECT_EQ((**item).action, item_action::remove);
  EXPECT_EQ((**item).inst_approver, "operator=bob");
  EXPECT_EQ((**item).deletion_request, "del-1");
}

} // namespace
} // namespace depositd::aptrust::testing
