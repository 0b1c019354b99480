#pragma once

// What every projection store must do with submissions.

#include "tests/contract/projection_store_fixture.hpp"

namespace depositd {

TEST_P(projection_store_suite, gives_a_submission_back_as_it_was_put) {
  auto row = a_submission(1);
  row.submission.file_name = std::string{"\xe4\0'%_\n", 6};
  row.status = submission_status::completed;
  row.failed = true;
  row.parked = true;
  row.batch_id = "batch-1";
  row.processor = "sp";
  row.reason = "no";
  row.document = "<doi_batch_diagnostic/>";
  row.started_us = 2;
  row.finished_us = 3;
  row.attempt = 4;
  row.digest = 0xffff'ffff'ffff'fffe;
  put({row});
  const auto found = find({.id = 1});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front(), row);
  EXPECT_EQ(ids({.user = "ann", .file_name = row.submission.file_name}),
            ids_list{1});
}

TEST_P(projection_store_suite, tells_what_came_from_a_source_since_a_time) {
  auto old = a_submission(1);
  auto young = a_submission(2);
  auto other = a_submission(3);
  old.submission.source = young.submission.source = "log";
  old.received_us = 9;
  young.received_us = other.received_us = 10;
  young.submission.file_name = "\xe4'%_\n";
  young.digest = 0xffff'ffff'ffff'fffe;
  put({old, young, other});
  std::vector<projection_store::received_row> found;
  ASSERT_FALSE(store->load_received("log", 10, [&](const auto& x) {
    found.push_back(x);
  }));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, 2u);
  EXPECT_EQ(found[0].user, young.user);
  EXPECT_EQ(found[0].file_name, young.submission.file_name);
  EXPECT_EQ(found[0].size, young.submission.size);
  EXPECT_EQ(found[0].digest, young.digest);
  EXPECT_EQ(found[0].received_us, 10);
}

TEST_P(projection_store_suite, follows_a_submission_through_its_life) {
  put({a_submission(1)});
  auto row = a_submission(1);
  const auto is_row = [&] {
    const auto found = find({.user = "ann", .file_name = "a.xml"});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front(), row);
  };
  change({.id = 1,
          .has_started = true,
          .attempt = 1,
          .started_us = 10,
          .processor = "sp"});
  row.status = submission_status::in_process;
  row.attempt = 1;
  row.started_us = 10;
  row.processor = "sp";
  is_row();
  change({.id = 1, .has_returned = true, .attempt = 1});
  row.status = submission_status::queued;
  is_row();
  change({.id = 1, .has_parked = true, .parked = true});
  row.parked = true;
  is_row();
  change({.id = 1, .has_parked = true, .parked = false});
  row.parked = false;
  change({.id = 1,
          .has_finished = true,
          .failed = true,
          .finished_us = 20,
          .reason = "why",
          .batch_id = "b",
          .document = "<x/>"});
  row.status = submission_status::completed;
  row.failed = true;
  row.finished_us = 20;
  row.reason = "why";
  row.batch_id = "b";
  row.document = "<x/>";
  is_row();
  EXPECT_EQ(ids({.user = "ann", .batch_id = "b"}), ids_list{1});
}

TEST_P(projection_store_suite, finds_no_batch_before_it_is_known) {
  put({a_submission(1)});
  EXPECT_TRUE(find({.user = "ann", .batch_id = "b"}).empty());
}

TEST_P(projection_store_suite, finds_submissions_of_one_user_only) {
  put({a_submission(1, "ann"), a_submission(2, "bob"), a_submission(3, "ann")});
  EXPECT_EQ(ids({.user = "bob", .file_name = "a.xml"}), ids_list{2});
  EXPECT_EQ(ids({.user = "ann"}), (ids_list{3, 1}));
  EXPECT_TRUE(find({.id = 2, .user = "ann"}).empty());
}

TEST_P(projection_store_suite, compares_names_of_files_exactly) {
  put({a_submission(1, "ann", "a.xml"), a_submission(2, "ann", "A.xml"),
       a_submission(3, "ann", "a.xml "), a_submission(4, "ann", "%")});
  EXPECT_EQ(ids({.user = "ann", .file_name = "a.xml"}), ids_list{1});
  EXPECT_EQ(ids({.user = "ann", .file_name = "%"}), ids_list{4});
  EXPECT_EQ(ids({.file_name = "A.xml"}), ids_list{2});
}

TEST_P(projection_store_suite, orders_and_limits_submissions) {
  put({a_submission(1), a_submission(2), a_submission(3)});
  EXPECT_EQ(ids({.user = "ann", .file_name = "a.xml", .count_max = 1}),
            ids_list{3});
  EXPECT_EQ(ids({.user = "ann",
                 .file_name = "a.xml",
                 .newest_first = false,
                 .count_max = 2}),
            (ids_list{1, 2}));
  EXPECT_TRUE(find({.count_max = 0}).empty());
}

TEST_P(projection_store_suite, goes_on_after_a_submission) {
  put({a_submission(1), a_submission(2, "bob"), a_submission(3),
       a_submission(5)});
  EXPECT_EQ(ids({.count_max = 2, .after = {5}}), (ids_list{3, 2}));
  EXPECT_EQ(ids({.after = {4}}), (ids_list{3, 2, 1}));
  EXPECT_EQ(ids({.user = "ann", .after = {3}}), ids_list{1});
  EXPECT_EQ(ids({.newest_first = false, .after = {2}}), (ids_list{3, 5}));
  EXPECT_EQ(ids({.ids = {1, 2, 5}, .after = {5}}), (ids_list{2, 1}));
  EXPECT_TRUE(find({.after = {1}}).empty());
}

TEST_P(projection_store_suite, finds_any_of_many_submissions_in_one_go) {
  const item_id far = (item_id{0xf00} << 52) + 7; // negative, in a database
  put({a_submission(1), a_submission(2, "bob"), a_submission(3),
       a_submission(far)});
  EXPECT_EQ(ids({.ids = {2, 4, 1, 2}}), (ids_list{2, 1}));
  EXPECT_EQ(ids({.ids = {5, far}}), ids_list{far});
  EXPECT_EQ(ids({.newest_first = false, .count_max = 2, .ids = {3, 1, 2}}),
            (ids_list{1, 2}));
  EXPECT_EQ(ids({.user = "ann", .ids = {1, 2}}), ids_list{1});
  EXPECT_EQ(ids({.id = 1, .ids = {1, 2}}), ids_list{1});
  EXPECT_TRUE(find({.ids = {4, 5}}).empty());
}

TEST_P(projection_store_suite, keeps_no_trace_where_there_is_none) {
  auto row = a_submission(1);
  row.submission.trace.clear();
  put({row});
  EXPECT_EQ(find({.id = 1}).front(), row);
}

TEST_P(projection_store_suite, finds_submissions_by_queue_and_status) {
  auto other = a_submission(3);
  other.queue = "query";
  put({a_submission(1), a_submission(2), other});
  change({.id = 2, .has_started = true, .started_us = 1});
  EXPECT_EQ(ids({.queue = "metadata"}), (ids_list{2, 1}));
  EXPECT_EQ(ids({.queue = "metadata",
                 .has_status = true,
                 .status = submission_status::queued}),
            ids_list{1});
  EXPECT_EQ(ids({.has_status = true, .status = submission_status::queued}),
            (ids_list{3, 1}));
  EXPECT_EQ(ids({.user = "ann",
                 .has_status = true,
                 .status = submission_status::in_process}),
            ids_list{2});
}

TEST_P(projection_store_suite, leaves_documents_out_if_asked) {
  auto row = a_submission(1);
  row.document = std::string(100'000, 'd');
  put({row});
  EXPECT_EQ(find({.id = 1}).front().document, row.document);
  row.document.clear();
  EXPECT_EQ(find({.id = 1, .with_documents = false}).front(), row);
}

TEST_P(projection_store_suite, gives_contents_to_who_asks_for_them) {
  auto small = a_submission(1);
  small.contents = std::string{"\xef\xbb\xbf<a>\r\n\0\\\xff", 10};
  auto large = a_submission(2);
  large.contents = std::string(300'000, '\xe4');
  const auto none = a_submission(3);
  put({small, large, none});
  EXPECT_EQ(find({.newest_first = false, .with_contents = true}),
            (std::vector{small, large, none}));
  change({.id = 1, .has_finished = true, .finished_us = 9, .document = "d"});
  EXPECT_EQ(find({.id = 1, .with_contents = true}).front().contents,
            small.contents);
  small.contents.clear();
  EXPECT_EQ(find({.id = 1}).front().contents, "");
}

TEST_P(projection_store_suite, forgets_contents_with_their_submission) {
  auto row = a_submission(1);
  row.status = submission_status::completed;
  row.finished_us = 100;
  row.contents = "<first/>";
  put({row});
  EXPECT_EQ(*store->forget_submissions(101, 10), 1u);
  row.contents.clear();
  put({row});
  EXPECT_EQ(find({.id = 1, .with_contents = true}).front().contents, "");
  EXPECT_EQ(*store->forget_submissions({1}), 1u);
  row.contents = "<second/>";
  put({row});
  EXPECT_EQ(*store->forget_submissions({1}), 1u);
  row.contents = "<third/>";
  put({row});
  EXPECT_EQ(find({.id = 1, .with_contents = true}).front().contents,
            "<third/>");
}

TEST_P(projection_store_suite, forgets_of_these_what_has_finished) {
  for (const item_id id : {1, 2, 3, 4}) {
    auto row = a_submission(id);
    if (id != 3) {
      row.status = submission_status::completed;
      row.finished_us = 100;
      row.document = "d";
    }
    put({row});
  }
  EXPECT_EQ(*store->forget_submissions({1}), 1u);
  EXPECT_EQ(*store->forget_submissions({1, 2, 3, 9}), 1u);
  EXPECT_EQ(*store->forget_submissions({1, 2, 3, 9}), 0u);
  EXPECT_EQ(*store->forget_submissions(ids_list{}), 0u);
  EXPECT_EQ(ids({}), (ids_list{4, 3}));
}

TEST_P(projection_store_suite, forgets_what_finished_long_ago_oldest_first) {
  for (const item_id id : {1, 2, 3, 4}) {
    auto row = a_submission(id);
    if (id != 4) {
      row.status = submission_status::completed;
      row.finished_us = 100 - static_cast<micros>(id);
      row.document = "d";
    }
    put({row});
  }
  EXPECT_EQ(*store->forget_submissions(99, 1), 1u);
  EXPECT_EQ(ids({}), (ids_list{4, 2, 1}));
  EXPECT_EQ(*store->forget_submissions(99, 10), 1u);
  EXPECT_EQ(ids({}), (ids_list{4, 1}));
  EXPECT_EQ(*store->forget_submissions(99, 10), 0u);
  change({.id = 2, .has_parked = true, .parked = true});
  EXPECT_EQ(ids({}), (ids_list{4, 1}));
}

} // namespace depositd
