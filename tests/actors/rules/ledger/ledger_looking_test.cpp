#include "actors/rules/ledger/ledger.hpp"

#include "tests/actors/rules/ledger/ledger_fixture.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace depositd {
namespace {

using namespace testing;
using rules::taker_limits;

using ids = std::vector<item_id>;

using parking = ledger_fixture;
using bodies_of = ledger_fixture;
using looking = ledger_fixture;
using changes = ledger_fixture;

// -- parking ------------------------------------------------------------------

TEST_F(parking, sets_ready_and_delayed_items_aside_but_not_claimed_ones) {
  put({an_item(1), an_item(2), an_item(3)});
  claim();
  settle(claim()->item, verdict::retry, 50);
  const auto events = books.park({1, 2, 3, 3, 99}, true);
  EXPECT_EQ(events, (std::vector<event>{item_parked{2, "q", true},
                                        item_parked{3, "q", true}}));
  apply(events);
  EXPECT_EQ(books.parked(), 2u);
  EXPECT_EQ(books.pending(), 2u);
  EXPECT_EQ(books.next_due(), never);
  EXPECT_TRUE(books.park({1, 2, 3}, true).empty());
}

TEST_F(parking, gives_an_item_its_place_back) {
  put({an_item(1), an_item(2)});
  apply(books.park({1}, true));
  EXPECT_TRUE(books.park({2}, false).empty());
  apply(books.park({1}, false));
  EXPECT_EQ(books.parked(), 0u);
  EXPECT_EQ(claim_id(), 1u);
}

// -- bodies -------------------------------------------------------------------

TEST_F(bodies_of, items_stay_until_they_have_a_place) {
  put({with_body(an_item(1), "12345")});
  EXPECT_EQ(books.drop_body(1), 0u);
  ASSERT_TRUE(books.body(1));
  books.set_place(1, {3, 4, 5});
  EXPECT_EQ(books.drop_body(1), 5u);
  EXPECT_FALSE(books.body(1));
  EXPECT_EQ(books.drop_body(1), 0u);
  const auto x = claim();
  EXPECT_FALSE(x->body);
  EXPECT_EQ(x->place, (body_location{3, 4, 5}));
}

TEST_F(bodies_of, claimed_and_parked_items_have_places_too) {
  put({with_body(an_item(1), "1"), with_body(an_item(2), "22")});
  claim();
  apply(books.park({2}, true));
  for (const item_id id : {1, 2}) {
    books.set_place(id, {9, 0, 1});
    EXPECT_EQ(books.place(id), (body_location{9, 0, 1}));
    EXPECT_EQ(books.drop_body(id), id);
  }
}

TEST_F(bodies_of, unknown_items_are_nowhere) {
  books.set_place(1, {3, 4, 5});
  EXPECT_EQ(books.place(1), body_location{});
  EXPECT_FALSE(books.body(1));
  EXPECT_EQ(books.drop_body(1), 0u);
}

TEST_F(bodies_of, relocated_items_have_the_new_place) {
  put({with_body(an_item(1), "1")});
  books.set_place(1, {3, 4, 1});
  books.apply(event{body_compacted{1, "q", "1", {}}});
  EXPECT_EQ(books.place(1), (body_location{3, 4, 1})) << "not committed yet";
  books.apply(event{body_compacted{1, "q", "", {8, 2, 1}}});
  EXPECT_EQ(books.place(1), (body_location{8, 2, 1}));
}

// -- what the ring is told ----------------------------------------------------

TEST_F(changes, are_merged_per_class_and_taken_once) {
  classes.add(100);
  configure();
  put({an_item(1), an_item(2), with_size(an_item(3), 500)});
  claim();
  const auto told = books.take_changes();
  EXPECT_EQ(told.ready, (std::vector<ready_change>{{0, 0, 1}, {0, 1, 1}}));
  EXPECT_EQ(told.claims_ended, 0);
  EXPECT_TRUE(books.take_changes().empty());
}

TEST_F(changes, that_cancel_out_are_not_told) {
  put({an_item(1)});
  claim();
  EXPECT_TRUE(books.take_changes().empty());
}

TEST_F(changes, name_the_priority_as_band_across_users_only) {
  put({with_priority(an_item(1), 7)});
  EXPECT_EQ(books.take_changes().ready, (std::vector<ready_change>{{0, 0, 1}}));
  settings.priority = priority_mode::across_users;
  configure();
  EXPECT_TRUE(books.take_changes().empty());
  EXPECT_EQ(books.ready_counts(), (std::vector<ready_change>{{7, 0, 1}}));
  put({with_priority(an_item(2), 9)});
  EXPECT_EQ(books.take_changes().ready, (std::vector<ready_change>{{9, 0, 1}}));
}

TEST_F(changes, tell_of_items_that_become_ready_again) {
  put({an_item(1), an_item(2)});
  const auto x = claim()->item;
  apply(books.park({2}, true));
  (void)books.take_changes();
  settle(x, verdict::retry, 1);
  EXPECT_EQ(books.take_changes().claims_ended, 1);
  books.wake(now + 1000);
  apply(books.park({2}, false));
  EXPECT_EQ(books.take_changes().ready, (std::vector<ready_change>{{0, 0, 2}}));
}

TEST_F(changes, count_restored_claims_as_negative) {
  item_row row;
  row.id = 1;
  row.state = item_state::claimed;
  row.token = 40;
  books.restore(row);
  EXPECT_EQ(books.take_changes().claims_ended, -1);
  EXPECT_EQ(books.claims(), 1u);
}

// -- looking ------------------------------------------------------------------

TEST_F(looking, tells_how_many_items_are_ahead) {
  put({with_priority(an_item(1), 9), with_priority(an_item(2), 5),
       with_size(with_priority(an_item(3), 5), 500)});
  EXPECT_EQ(books.find(2)->ahead, 0u);
  EXPECT_EQ(books.find(3)->ahead, 1u);
  EXPECT_EQ(books.find(1)->ahead, 2u);
  EXPECT_FALSE(books.find(4));
  for (const auto& x : books.items())
    EXPECT_EQ(x, *books.find(x.id));
}

TEST_F(looking, restores_an_item_as_it_was) {
  classes.add(100);
  configure();
  item_row row;
  row.id = 4;
  row.priority = 2;
  row.size = 50;
  row.received_us = 11;
  row.kind = body_kind::blob;
  row.place = {1, 2, 3};
  row.attempt = 3;
  row.state = item_state::claimed;
  row.token = 90;
  row.deadline_us = 77;
  row.processor = "sp";
  books.restore(row);
  EXPECT_EQ(books.items(),
            (std::vector<item_view>{
              {4, item_state::claimed, 2, 3, 50, 11, never, 77, 90, "sp", 0}}));
  EXPECT_EQ(books.place(4), (body_location{1, 2, 3}));
  EXPECT_TRUE(books.settle({.id = 4, .token = 90}, now));
  put({an_item(5)});
  EXPECT_EQ(claim()->item.token, 91u);
}

TEST_F(looking, takes_a_row_of_a_delay_that_has_a_time_for_delayed) {
  item_row row;
  row.id = 1;
  row.state = item_state::delayed;
  row.available_us = 500;
  books.restore(row);
  row.id = 2;
  row.state = item_state::pending; // taken back from the shelf meanwhile
  books.restore(row);
  EXPECT_EQ(state_of(1), item_state::delayed);
  EXPECT_EQ(state_of(2), item_state::pending);
  EXPECT_EQ(books.next_due(), 500);
}

TEST_F(looking, applying_what_it_does_not_know_changes_nothing) {
  put({an_item(1)});
  const auto before = books.items();
  apply({event{item_claimed{}}, event{item_released{9, "q", 1, 2, ""}},
         event{item_finished{9}}, event{item_parked{9}},
         event{claim_renewed{9}}, event{body_compacted{9}},
         event{item_released{1, "q", 1, 2, ""}}, event{server_changed{}},
         event{item_enqueued{1, "q", 5}}});
  EXPECT_EQ(books.items(), before);
}

} // namespace
} // namespace depositd
