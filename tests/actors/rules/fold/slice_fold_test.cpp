#include "actors/rules/fold/slice_fold.hpp"

#include "messages/values/codec.hpp"
#include "tests/actors/rules/fold/random_journal.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace depositd {
namespace {

using testing::claimed;
using testing::enqueued;
using testing::received;

class slice_fold_of : public ::testing::Test {
protected:
  void add(const std::vector<event>& events, const std::string& user = "U") {
    fold.add({user, events});
  }

  rules::slice_fold fold{10};
};

bool nothing_in(const slice& x) {
  return x.items_put.empty() && x.items_changed.empty() && x.items_gone.empty()
         && x.rings.empty() && x.controls.empty() && x.submissions_put.empty()
         && x.submissions_changed.empty() && x.batches_put.empty()
         && x.batches_changed.empty() && x.batches_gone.empty()
         && x.jobs_put.empty() && x.jobs_changed.empty()
         && x.records_put.empty() && x.records_changed.empty()
         && x.records_gone.empty() && x.records_ended.empty();
}

TEST_F(slice_fold_of, nothing_is_nothing) {
  const auto x = fold.take();
  EXPECT_EQ(x.from, 10u);
  EXPECT_EQ(x.last, 10u);
  EXPECT_EQ(x.id_max, 0u);
  EXPECT_TRUE(nothing_in(x));
}

TEST_F(slice_fold_of, counts_one_sequence_per_event_and_goes_on_from_there) {
  add({enqueued(1), received(1)});
  add({claimed(1)});
  EXPECT_EQ(fold.events(), 3u);
  auto x = fold.take();
  EXPECT_EQ(x.from, 10u);
  EXPECT_EQ(x.last, 13u);
  EXPECT_EQ(fold.events(), 0u);
  add({claimed(1)});
  x = fold.take();
  EXPECT_EQ(x.from, 13u);
  EXPECT_EQ(x.last, 14u);
}

TEST_F(slice_fold_of, a_new_item_is_a_row) {
  add({enqueued(5)});
  const auto x = fold.take();
  ASSERT_EQ(x.items_put.size(), 1u);
  item_row row;
  row.id = 5;
  row.queue = "q";
  row.user = "U";
  row.priority = 3;
  row.size = 40;
  row.received_us = 50;
  row.digest = 60;
  row.place = {7, 8, 9};
  EXPECT_EQ(x.items_put[0], row);
  EXPECT_EQ(x.id_max, 5u);
}

TEST_F(slice_fold_of, a_copy_is_a_row_of_its_own_at_the_same_place) {
  item_copied copy;
  copy.id = 6;
  copy.queue = "r";
  copy.priority = 3;
  copy.size = 40;
  copy.received_us = 50;
  copy.of = 5;
  copy.place = {7, 8, 9};
  add({enqueued(5), copy, item_delayed{6, "r", 99}});
  const auto x = fold.take();
  ASSERT_EQ(x.items_put.size(), 2u);
  auto row = x.items_put[0];
  row.id = 6;
  row.queue = "r";
  row.digest = 0;
  row.state = item_state::delayed;
  row.available_us = 99;
  EXPECT_EQ(x.items_put[1], row);
  EXPECT_EQ(x.id_max, 6u);
}

TEST_F(slice_fold_of, what_moves_with_a_delay_is_delayed_where_it_goes) {
  add({item_moved{5, "q", "r", 60}, item_delayed{5, "r", 99}});
  const auto x = fold.take();
  item_change change;
  change.id = 5;
  change.queue = "r";
  change.state = item_state::delayed;
  change.available_us = 99;
  change.has_claim_state = true;
  change.has_queue = true;
  EXPECT_EQ(x.items_changed, std::vector<item_change>{change});
}

TEST_F(slice_fold_of, a_topic_that_is_gone_leaves_no_row) {
  topic_changed topic;
  topic.topic = "t";
  add({topic}, "");
  auto x = fold.take();
  ASSERT_EQ(x.controls.size(), 1u);
  EXPECT_FALSE(x.controls[0].gone);
  topic.removed = true;
  add({topic}, "");
  x = fold.take();
  ASSERT_EQ(x.controls.size(), 1u);
  EXPECT_EQ(x.controls[0].key, "t");
  EXPECT_TRUE(x.controls[0].gone);
}

TEST_F(slice_fold_of, an_item_that_came_and_went_leaves_only_the_ring) {
  add({enqueued(5)});
  add({claimed(5, 33)});
  add({item_finished{5, "q", ending::done, 90}});
  const auto x = fold.take();
  EXPECT_TRUE(x.items_put.empty());
  EXPECT_TRUE(x.items_changed.empty());
  EXPECT_TRUE(x.items_gone.empty());
  EXPECT_TRUE(x.submissions_changed.empty());
  EXPECT_EQ(x.id_max, 5u) << "its number must not be given again";
  EXPECT_EQ(x.rings, (std::vector<ring_row>{{"q", "U", 33, 2}}));
}

TEST_F(slice_fold_of, keeps_the_last_place_in_the_ring_of_each_user) {
  add({claimed(1, 5), claimed(2, 6)}, "A");
  add({claimed(3, 7)}, "B");
  add({claimed(4, 8)}, "A");
  EXPECT_EQ(fold.take().rings,
            (std::vector<ring_row>{{"q", "A", 8, 2}, {"q", "B", 7, 2}}));
}

TEST_F(slice_fold_of, takes_a_claim_by_id_for_no_turn) {
  add({claimed(1, 5), claimed(2, 0)}, "A");
  add({claimed(3, 0)}, "B");
  EXPECT_EQ(fold.take().rings, (std::vector<ring_row>{{"q", "A", 5, 2}}));
}

TEST_F(slice_fold_of, keeps_what_each_user_has_spent_last) {
  add({claimed(1, 5), ring_paid{"q", 100, 40, 7}}, "A");
  add({item_released{1, "q"}, ring_paid{"q", 90, 40, 7}}, "A");
  add({item_finished{9, "q"}, ring_paid{"q", 60, 30, 7}}, "B");
  const auto x = fold.take();
  ASSERT_EQ(x.rings.size(), 2u);
  EXPECT_EQ(x.rings[0], (ring_row{.queue = "q",
                                  .user = "A",
                                  .stamp = 5,
                                  .credit = 2,
                                  .spent = 90,
                                  .floor = 40,
                                  .since = 7,
                                  .has_spent = true}));
  EXPECT_EQ(x.rings[1], (ring_row{.queue = "q",
                                  .user = "B",
                                  .spent = 60,
                                  .floor = 30,
                                  .since = 7,
                                  .has_turn = false,
                                  .has_spent = true}));
}

TEST_F(slice_fold_of, brings_back_nothing_of_a_queue_that_is_made_again) {
  add({queue_retired{"q", {"A", "B"}}, queue_changed{"q", {}}}, "");
  add({claimed(1, 5)}, "A");
  add({ring_paid{"q", 60, 30, 7}}, "B");
  const auto x = fold.take();
  ASSERT_EQ(x.rings.size(), 2u);
  for (const auto& row : x.rings) {
    EXPECT_FALSE(row.gone);
    EXPECT_TRUE(row.has_turn);
    EXPECT_TRUE(row.has_spent);
  }
  EXPECT_EQ(x.rings[0].spent, 0u);
  EXPECT_EQ(x.rings[1].stamp, 0u);
}

TEST_F(slice_fold_of, a_claim_of_an_older_item_replaces_its_changing_part) {
  add({item_parked{5, "q", true}});
  add({item_parked{5, "q", false}});
  add({claimed(5)});
  const auto x = fold.take();
  item_change change;
  change.id = 5;
  change.state = item_state::claimed;
  change.attempt = 1;
  change.token = 101;
  change.deadline_us = 80;
  change.local = true;
  change.processor = "sp";
  change.has_claim_state = true;
  EXPECT_EQ(x.items_changed, std::vector<item_change>{change});
  EXPECT_TRUE(x.items_put.empty());
}

TEST_F(slice_fold_of, an_extension_alone_changes_only_the_deadline) {
  add({claim_renewed{5, "q", 1, 99}});
  item_change change;
  change.id = 5;
  change.deadline_us = 99;
  change.has_deadline = true;
  EXPECT_EQ(fold.take().items_changed, std::vector<item_change>{change});
}

TEST_F(slice_fold_of, an_extension_after_the_claim_is_part_of_it) {
  add({claimed(5), claim_renewed{5, "q", 101, 99}});
  const auto x = fold.take();
  ASSERT_EQ(x.items_changed.size(), 1u);
  EXPECT_TRUE(x.items_changed[0].has_claim_state);
  EXPECT_FALSE(x.items_changed[0].has_deadline);
  EXPECT_EQ(x.items_changed[0].deadline_us, 99);
}

TEST_F(slice_fold_of, parking_alone_changes_only_the_state) {
  add({item_parked{5, "q", true}});
  const auto x = fold.take();
  item_change change;
  change.id = 5;
  change.state = item_state::parked;
  change.has_parked_state = true;
  EXPECT_EQ(x.items_changed, std::vector<item_change>{change});
  ASSERT_EQ(x.submissions_changed.size(), 1u);
  EXPECT_TRUE(x.submissions_changed[0].has_parked);
  EXPECT_TRUE(x.submissions_changed[0].parked);
}

TEST_F(slice_fold_of, an_item_that_moved_is_pending_in_its_new_queue) {
  add({claimed(5), item_moved{5, "q", "r", 95}});
  const auto x = fold.take();
  item_change change;
  change.id = 5;
  change.has_claim_state = true;
  change.has_queue = true;
  change.queue = "r";
  EXPECT_EQ(x.items_changed, std::vector<item_change>{change});
}

TEST_F(slice_fold_of, a_deposit_ends_while_its_item_goes_on) {
  add({enqueued(5), received(5), claimed(5), item_moved{5, "q", "out", 95},
       submission_ended{5, "q", ending::done, 95, "", "b", "<x/>"}});
  add({queue_changed{"out", outbox_queue_defaults()}});
  auto told = claimed(5, 2);
  told.queue = "out";
  add({told, item_parked{5, "out", true}});
  const auto x = fold.take();
  ASSERT_EQ(x.items_put.size(), 1u);
  EXPECT_EQ(x.items_put[0].queue, "out");
  EXPECT_TRUE(x.items_gone.empty());
  ASSERT_EQ(x.submissions_put.size(), 1u);
  EXPECT_EQ(x.submissions_put[0].status, submission_status::completed);
  EXPECT_EQ(x.submissions_put[0].document, "<x/>");
  EXPECT_FALSE(x.submissions_put[0].parked);
  EXPECT_EQ(x.submissions_put[0].attempt, 1u);
}

TEST_F(slice_fold_of, what_follows_the_end_of_a_deposit_is_not_its_own) {
  fold.without_submissions("out");
  add({item_moved{5, "q", "out", 95},
       submission_ended{5, "q", ending::failed, 95, "why", "b", "<x/>"}});
  auto told = claimed(5, 2);
  told.queue = "out";
  add({told});
  add({item_released{5, "out", 1, 99, "down"}});
  auto x = fold.take();
  ASSERT_EQ(x.submissions_changed.size(), 1u);
  EXPECT_TRUE(x.submissions_changed[0].has_finished);
  EXPECT_TRUE(x.submissions_changed[0].failed);
  EXPECT_FALSE(x.submissions_changed[0].has_started);
  EXPECT_FALSE(x.submissions_changed[0].has_returned);
  ASSERT_EQ(x.items_changed.size(), 1u);
  EXPECT_EQ(x.items_changed[0].queue, "out");
  add({item_finished{5, "out", ending::done, 100}});
  x = fold.take();
  EXPECT_EQ(x.items_gone, std::vector<item_id>{5});
  EXPECT_TRUE(x.submissions_changed.empty());
}

TEST_F(slice_fold_of, what_follows_a_move_keeps_the_queue) {
  add({item_moved{5, "q", "r", 95}, claimed(5), item_moved{5, "r", "s", 96},
       item_parked{5, "s", true}});
  const auto x = fold.take();
  ASSERT_EQ(x.items_changed.size(), 1u);
  EXPECT_EQ(x.items_changed[0].queue, "s");
  EXPECT_EQ(x.items_changed[0].state, item_state::parked);
  EXPECT_EQ(x.items_changed[0].token, 0u);
  EXPECT_EQ(x.items_changed[0].attempt, 0u);
}

TEST_F(slice_fold_of, a_new_item_that_moved_is_a_row_of_its_new_queue) {
  add({enqueued(5), claimed(5), item_moved{5, "q", "r", 95}});
  const auto x = fold.take();
  EXPECT_TRUE(x.items_changed.empty());
  ASSERT_EQ(x.items_put.size(), 1u);
  EXPECT_EQ(x.items_put[0].queue, "r");
  EXPECT_EQ(x.items_put[0].attempt, 0u);
  EXPECT_EQ(x.items_put[0].token, 0u);
  EXPECT_EQ(x.items_put[0].place, (body_location{7, 8, 9}));
}

TEST_F(slice_fold_of, a_moved_body_changes_only_the_place) {
  add({body_compacted{5, "q", "", {1, 2, 3}}});
  item_change change;
  change.id = 5;
  change.place = {1, 2, 3};
  EXPECT_EQ(fold.take().items_changed, std::vector<item_change>{change});
}

TEST_F(slice_fold_of, a_body_that_moved_at_once_is_only_at_its_new_place) {
  add({enqueued(5), body_compacted{5, "q", "", {1, 2, 3}}});
  const auto x = fold.take();
  ASSERT_EQ(x.items_put.size(), 1u);
  EXPECT_EQ(x.items_put[0].place, (body_location{1, 2, 3}));
  EXPECT_TRUE(x.items_changed.empty());
}

TEST_F(slice_fold_of, the_end_of_an_older_item_is_all_that_is_left_of_it) {
  add({claimed(5), claim_renewed{5, "q", 101, 99},
       body_compacted{5, "q", "", {1, 2, 3}}, item_finished{5, "q"}});
  const auto x = fold.take();
  EXPECT_TRUE(x.items_changed.empty());
  EXPECT_EQ(x.items_gone, std::vector<item_id>{5});
}

TEST_F(slice_fold_of, a_submission_that_came_and_went_is_one_finished_row) {
  add({enqueued(5), received(5)});
  add({claimed(5)});
  add({item_finished{5, "q", ending::failed, 90, "why", "b", "<d/>"}});
  const auto x = fold.take();
  EXPECT_TRUE(x.items_put.empty());
  EXPECT_TRUE(x.submissions_changed.empty());
  ASSERT_EQ(x.submissions_put.size(), 1u);
  submission_row row;
  row.id = 5;
  row.user = "U";
  row.queue = "q";
  row.submission = received(5).submission;
  row.status = submission_status::completed;
  row.failed = true;
  row.batch_id = "b";
  row.processor = "sp";
  row.reason = "why";
  row.document = "<d/>";
  row.received_us = 50;
  row.started_us = 70;
  row.finished_us = 90;
  row.attempt = 1;
  row.digest = 60; // of its item, as it came
  EXPECT_EQ(x.submissions_put[0], row);
}

TEST_F(slice_fold_of, an_item_without_a_submission_changes_none) {
  add({enqueued(5)});
  add({claimed(5), item_released{5, "q", 1}, item_parked{5, "q", true}});
  EXPECT_TRUE(fold.take().submissions_changed.empty());
}

TEST_F(slice_fold_of, a_queue_without_submissions_changes_none) {
  fold.without_submissions("q");
  add({claimed(5), item_finished{5, "q"}, item_finished{6, "other"}});
  for (int again = 0; again < 2; ++again) {
    const auto x = fold.take();
    ASSERT_EQ(x.submissions_changed.size(), 1u);
    EXPECT_EQ(x.submissions_changed[0].id, 6u);
    add({item_finished{7, "q"}, item_finished{6, "other"}});
  }
}

TEST_F(slice_fold_of, a_message_queue_that_comes_into_being_has_none) {
  queue_settings deposits;
  deposits.kind = queue_kind::deposit;
  add({queue_changed{"q", {}}, queue_changed{"d", deposits}}, "");
  add({item_finished{5, "q"}, item_finished{6, "d"}});
  const auto x = fold.take();
  ASSERT_EQ(x.submissions_changed.size(), 1u);
  EXPECT_EQ(x.submissions_changed[0].id, 6u);
}

TEST_F(slice_fold_of, a_submission_that_came_back_is_queued_again) {
  add({claimed(5), item_released{5, "q", 1, 500}});
  auto x = fold.take();
  ASSERT_EQ(x.submissions_changed.size(), 1u);
  EXPECT_TRUE(x.submissions_changed[0].has_started);
  EXPECT_TRUE(x.submissions_changed[0].has_returned);
  add({item_released{5, "q", 1, 500}, claimed(5)});
  x = fold.take();
  ASSERT_EQ(x.submissions_changed.size(), 1u);
  EXPECT_TRUE(x.submissions_changed[0].has_started);
  EXPECT_FALSE(x.submissions_changed[0].has_returned);
}

TEST_F(slice_fold_of, a_recorded_submission_is_a_finished_row) {
  add({submission_recorded{9, "q", 1, 2, true, received(9).submission, "b",
                           "<d/>"}});
  const auto x = fold.take();
  submission_row row;
  row.id = 9;
  row.user = "U";
  row.queue = "q";
  row.submission = received(9).submission;
  row.status = submission_status::completed;
  row.failed = true;
  row.batch_id = "b";
  row.document = "<d/>";
  row.received_us = 1;
  row.finished_us = 2;
  EXPECT_EQ(x.submissions_put, std::vector<submission_row>{row});
  EXPECT_EQ(x.id_max, 9u);
}

TEST_F(slice_fold_of, purged_counts_as_failed_and_collapsed_does_not) {
  add({item_finished{1, "q", ending::purged},
       item_finished{2, "q", ending::collapsed},
       item_finished{3, "q", ending::failed},
       item_finished{4, "q", ending::done}});
  const auto x = fold.take();
  ASSERT_EQ(x.submissions_changed.size(), 4u);
  EXPECT_TRUE(x.submissions_changed[0].failed);
  EXPECT_FALSE(x.submissions_changed[1].failed);
  EXPECT_TRUE(x.submissions_changed[2].failed);
  EXPECT_FALSE(x.submissions_changed[3].failed);
}

TEST_F(slice_fold_of, keeps_the_newest_control_event_of_each_key) {
  add({server_changed{true, true}, user_eligibility_changed{"A", true, false}},
      "");
  add({server_changed{false, true}}, "");
  const auto x = fold.take();
  ASSERT_EQ(x.controls.size(), 2u);
  EXPECT_EQ(x.controls[0].kind, 11u);
  EXPECT_EQ(x.controls[0].key, "A");
  EXPECT_EQ(x.controls[1].kind, 14u);
  const auto server = decode_event(x.controls[1].value);
  ASSERT_TRUE(server);
  EXPECT_EQ(*server, (event{server_changed{false, true}}));
}

TEST_F(slice_fold_of, lets_the_rows_of_a_queue_go_with_it) {
  add({queue_changed{"q", {}}, queue_founded{"q", "A"}}, "");
  add({queue_retired{"q", {"A"}}}, "");
  auto x = fold.take();
  ASSERT_EQ(x.controls.size(), 2u);
  for (const auto& row : x.controls) {
    EXPECT_EQ(row.key, "q");
    EXPECT_TRUE(row.gone);
  }
  ASSERT_EQ(x.rings.size(), 1u);
  EXPECT_TRUE(x.rings[0].gone);
  // One that comes again in the same slice is there.
  add({queue_retired{"q", {"A"}}, queue_changed{"q", {}}}, "");
  x = fold.take();
  ASSERT_EQ(x.controls.size(), 2u);
  EXPECT_FALSE(x.controls[0].gone);
  EXPECT_TRUE(x.controls[1].gone);
}

TEST_F(slice_fold_of, names_rows_in_the_order_of_their_items) {
  add({enqueued(9), enqueued(3), enqueued(7), item_finished{3, "q"},
       enqueued(5), item_finished{2, "q"}, item_finished{1, "q"}});
  const auto x = fold.take();
  ASSERT_EQ(x.items_put.size(), 3u);
  EXPECT_EQ(x.items_put[0].id, 5u);
  EXPECT_EQ(x.items_put[1].id, 7u);
  EXPECT_EQ(x.items_put[2].id, 9u);
  EXPECT_EQ(x.items_gone, (std::vector<item_id>{1, 2}));
}

} // namespace
} // namespace depositd
