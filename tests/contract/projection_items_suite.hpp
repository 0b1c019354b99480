#pragma once

// What every projection store must do with items.

#include "tests/contract/projection_store_fixture.hpp"

namespace depositd {

TEST_P(projection_store_suite, gives_an_item_back_as_it_was_put) {
  auto row = an_item(7);
  row.kind = body_kind::blob;
  row.state = item_state::claimed;
  row.attempt = 3;
  row.available_us = 5;
  row.token = 0xffff'ffff'ffff'fffe;
  row.deadline_us = 6;
  row.local = true;
  row.processor = "sp-1";
  put({row});
  EXPECT_EQ(item(7), row);
}

TEST_P(projection_store_suite, says_when_there_is_no_such_item) {
  EXPECT_EQ(store->item(1).error(), ec::not_found);
}

TEST_P(projection_store_suite, items_may_share_the_place_of_a_body) {
  auto one = an_item(1);
  auto two = an_item(2);
  one.queue = "nsq/t/a";
  two.queue = "nsq/t/b";
  one.place = two.place = {7, 8, 9};
  put({one, two});
  EXPECT_EQ(item(1), one);
  EXPECT_EQ(item(2), two);
  const auto placed = store->items_placed(7, 7, 10);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->size(), 2u);
  auto gone = next_slice();
  gone.items_gone = {1};
  EXPECT_EQ(apply(gone), (std::vector<body_location>{{7, 8, 9}}));
  EXPECT_EQ(item(2), two) << "its body is still there";
}

TEST_P(projection_store_suite, replaces_the_whole_claim_state) {
  put({an_item(1)});
  change({.id = 1,
          .state = item_state::claimed,
          .attempt = 2,
          .token = 99,
          .deadline_us = 55,
          .local = true,
          .processor = "sp",
          .has_claim_state = true});
  auto wanted = an_item(1);
  wanted.state = item_state::claimed;
  wanted.attempt = 2;
  wanted.token = 99;
  wanted.deadline_us = 55;
  wanted.local = true;
  wanted.processor = "sp";
  EXPECT_EQ(item(1), wanted);
  change({.id = 1,
          .state = item_state::delayed,
          .attempt = 2,
          .available_us = 77,
          .has_claim_state = true});
  wanted = an_item(1);
  wanted.state = item_state::delayed;
  wanted.attempt = 2;
  wanted.available_us = 77;
  EXPECT_EQ(item(1), wanted);
}

TEST_P(projection_store_suite, extends_a_claim_and_leaves_the_rest) {
  auto row = an_item(1);
  row.state = item_state::claimed;
  row.token = 4;
  row.processor = "sp";
  put({row});
  change({.id = 1, .deadline_us = 123, .has_deadline = true});
  row.deadline_us = 123;
  EXPECT_EQ(item(1), row);
}

TEST_P(projection_store_suite, parks_and_unparks) {
  auto row = an_item(1);
  row.attempt = 2;
  row.state = item_state::delayed;
  row.available_us = 77;
  put({row});
  change({.id = 1, .state = item_state::parked, .has_parked_state = true});
  row.state = item_state::parked;
  row.available_us = never;
  EXPECT_EQ(item(1), row);
  change({.id = 1, .state = item_state::pending, .has_parked_state = true});
  row.state = item_state::pending;
  EXPECT_EQ(item(1), row);
}

TEST_P(projection_store_suite, moves_an_item_to_another_queue) {
  auto row = an_item(1);
  row.state = item_state::claimed;
  row.attempt = 3;
  row.token = 9;
  row.processor = "sp";
  put({row, an_item(2)});
  EXPECT_TRUE(
    change(
      {.id = 1, .has_claim_state = true, .has_queue = true, .queue = "query"})
      .empty());
  auto wanted = an_item(1);
  wanted.queue = "query";
  EXPECT_EQ(item(1), wanted);
  EXPECT_EQ(store->items("query", 10, {}), (std::vector<item_row>{wanted}));
  EXPECT_EQ(ids_of(*store->items("metadata", 10, {})), ids_list{2});
  ids_list loaded;
  ASSERT_FALSE(
    store->load_items([&](const item_row& x) { loaded.push_back(x.id); }));
  EXPECT_EQ(loaded, (ids_list{1, 2}));
}

TEST_P(projection_store_suite, takes_an_item_to_another_priority) {
  put({an_item(1), an_item(2), an_item(3)});
  EXPECT_TRUE(change({.id = 3, .has_priority = true, .priority = 0}).empty());
  auto wanted = an_item(3);
  wanted.priority = 0;
  EXPECT_EQ(item(3), wanted);
  EXPECT_EQ(ids_of(*store->items("metadata", 10, {})), (ids_list{3, 1, 2}));
  change({.id = 1,
          .has_claim_state = true,
          .has_queue = true,
          .has_priority = true,
          .priority = 9,
          .queue = "query"});
  EXPECT_EQ(item(1).priority, 9u);
  EXPECT_EQ(item(1).queue, "query");
  std::map<item_id, int> loaded;
  ASSERT_FALSE(
    store->load_items([&](const item_row& x) { loaded[x.id] = x.priority; }));
  EXPECT_EQ(loaded, (std::map<item_id, int>{{1, 9}, {2, 5}, {3, 0}}));
}

TEST_P(projection_store_suite, moves_a_body_and_frees_its_old_place) {
  put({an_item(1)});
  const body_location moved{.group = 50, .offset = 3, .length = 100};
  EXPECT_EQ(change({.id = 1, .place = moved}),
            std::vector<body_location>{an_item(1).place});
  EXPECT_EQ(item(1).place, moved);
}

TEST_P(projection_store_suite, frees_the_places_of_items_that_leave) {
  auto empty = an_item(2);
  empty.place = {};
  auto reference = an_item(3);
  reference.kind = body_kind::blob;
  put({an_item(1), empty, reference, an_item(4)});
  auto x = next_slice();
  x.items_gone = {3, 2, 1};
  auto freed = apply(x);
  std::map<std::uint64_t, body_location> by_group;
  for (const auto& place : freed)
    by_group.emplace(place.group, place);
  // A body without bytes is nowhere; the reference to a blob is in the journal.
  ASSERT_EQ(freed.size(), 2u);
  EXPECT_EQ(by_group.at(1), an_item(1).place);
  EXPECT_EQ(by_group.at(3), an_item(3).place);
  EXPECT_EQ(store->item(1).error(), ec::not_found);
  EXPECT_EQ(item(4), an_item(4));
}

TEST_P(projection_store_suite, frees_nothing_when_a_claim_changes) {
  put({an_item(1)});
  EXPECT_TRUE(change({.id = 1, .attempt = 1, .has_claim_state = true}).empty());
}

TEST_P(projection_store_suite, loads_items_by_id) {
  put({an_item(9, "ann"), an_item(2, "bob"), an_item(5, "ann")});
  put({an_item(7, "bob"), an_item(1, "cid"), an_item(12, "ann")});
  std::string users;
  ids_list loaded;
  ASSERT_FALSE(store->load_items([&](const item_row& x) {
    EXPECT_EQ(x, an_item(x.id, x.user));
    users += x.user + " ";
    loaded.push_back(x.id);
  }));
  EXPECT_EQ(loaded, (ids_list{1, 2, 5, 7, 9, 12}));
  EXPECT_EQ(users, "cid bob ann bob ann ann ");
}

TEST_P(projection_store_suite, loads_what_changes_left) {
  put({an_item(1), an_item(2), an_item(3)});
  change({.id = 2, .attempt = 4, .has_claim_state = true});
  auto x = next_slice();
  x.items_gone = {1};
  apply(x);
  ids_list loaded;
  ASSERT_FALSE(store->load_items([&](const item_row& row) {
    loaded.push_back(row.id);
    EXPECT_EQ(row.attempt, row.id == 2 ? 4u : 0u);
  }));
  EXPECT_EQ(loaded, (ids_list{2, 3}));
}

TEST_P(projection_store_suite, lists_a_queue_by_priority_and_id) {
  auto late = an_item(4);
  late.priority = 9;
  auto urgent = an_item(6);
  urgent.priority = 0;
  auto claimed = an_item(5);
  claimed.state = item_state::claimed;
  auto elsewhere = an_item(3);
  elsewhere.queue = "query";
  put({late, claimed, urgent, elsewhere, an_item(2)});
  EXPECT_EQ(ids_of(*store->items("metadata", 10, {})), (ids_list{6, 2, 5, 4}));
  EXPECT_EQ(ids_of(*store->items("metadata", 2, {})), (ids_list{6, 2}));
  EXPECT_EQ(store->items("query", 10, {})->front(), elsewhere);
  EXPECT_TRUE(store->items("Metadata", 10, {})->empty());
}

TEST_P(projection_store_suite, lists_of_a_queue_what_is_of_some_users) {
  std::vector<item_row> all;
  for (item_id id = 2; id < 8; ++id) {
    all.push_back(an_item(id));
    all.back().user = id % 2 == 0 ? "o'ann" : "b\"ob";
  }
  put(all);
  EXPECT_EQ(ids_of(*store->items("metadata", 2, {"b\"ob", "cyd"})),
            (ids_list{3, 5}));
  EXPECT_EQ(ids_of(*store->items("metadata", 10, {"o'ann"})),
            (ids_list{2, 4, 6}));
  EXPECT_EQ(store->items("metadata", 10, {"cyd", "ann"})->size(), 0u);
}

TEST_P(projection_store_suite, finds_items_by_time_user_and_queue) {
  auto parked = an_item(4);
  parked.state = item_state::parked;
  auto claimed = an_item(5);
  claimed.state = item_state::claimed;
  auto delayed = an_item(6, "bob");
  delayed.state = item_state::delayed;
  auto elsewhere = an_item(7);
  elsewhere.queue = "query";
  put({an_item(1), an_item(2, "bob"), an_item(3), parked, claimed, delayed,
       elsewhere});
  const auto from = an_item(1).received_us;
  const auto to = an_item(7).received_us;
  EXPECT_EQ(received({.from_us = from, .to_us = to}),
            (ids_list{1, 2, 3, 6, 7}));
  EXPECT_EQ(received({.from_us = from + 1, .to_us = from + 2}),
            (ids_list{2, 3}));
  EXPECT_EQ(
    received({.users = {"bob", "nobody"}, .from_us = from, .to_us = to}),
    (ids_list{2, 6}));
  EXPECT_EQ(received({.queue = "query", .from_us = from, .to_us = to}),
            ids_list{7});
  EXPECT_EQ(received({.from_us = from, .to_us = to, .parked = true}),
            ids_list{4});
  EXPECT_EQ(received({.from_us = from, .to_us = to, .after = 2}),
            (ids_list{3, 6, 7}));
  EXPECT_EQ(
    received({.from_us = from, .to_us = to, .after = 1, .count_max = 2}),
    (ids_list{2, 3}));
  EXPECT_EQ(received({.users = {"ann"},
                      .from_us = from,
                      .to_us = to,
                      .after = 1,
                      .count_max = 1}),
            ids_list{3});
  const auto found = store->items_received(
    {.users = {"bob"}, .from_us = from, .to_us = from + 1});
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().user, "bob");
  EXPECT_EQ(found->front().queue, "metadata");
}

TEST_P(projection_store_suite, finds_items_by_where_their_bodies_are) {
  auto nowhere = an_item(3);
  nowhere.place = {.group = 3};
  put({an_item(4), an_item(2, "bob"), nowhere, an_item(1), an_item(5)});
  const auto found = store->items_placed(2, 4, 10);
  ASSERT_TRUE(found);
  EXPECT_EQ(ids_of(*found), (ids_list{2, 4}));
  EXPECT_EQ(found->front().user, "bob");
  EXPECT_EQ(found->front().queue, "metadata");
  EXPECT_EQ(ids_of(*store->items_placed(1, 9, 2)), (ids_list{1, 2}));
}

} // namespace depositd
