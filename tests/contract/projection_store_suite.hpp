#pragma once

// What every projection store must do: slices, rings and control here, the rest
// in the other files.

#include "tests/contract/projection_items_suite.hpp"
#include "tests/contract/projection_records_suite.hpp"
#include "tests/contract/projection_store_fixture.hpp"
#include "tests/contract/projection_submissions_suite.hpp"
#include "tests/contract/projection_work_queries_suite.hpp"
#include "tests/contract/projection_work_suite.hpp"

namespace depositd {

// -- slices

TEST_P(projection_store_suite, starts_with_nothing) {
  EXPECT_EQ(store->reached(), 0u);
  EXPECT_EQ(store->id_max(), 0u);
  const auto fail = [](const auto&) { FAIL(); };
  EXPECT_FALSE(store->load_items(fail));
  EXPECT_FALSE(store->load_rings(fail));
  EXPECT_FALSE(store->load_controls(fail));
  EXPECT_FALSE(store->load_batches(fail));
  EXPECT_FALSE(store->load_jobs(fail));
  EXPECT_FALSE(store->load_records(fail));
  EXPECT_FALSE(store->load_record_totals(fail));
  EXPECT_TRUE(find({}).empty());
}

TEST_P(projection_store_suite, reaches_the_end_of_each_slice) {
  slice x;
  x.last = 10;
  x.id_max = 4;
  apply(x);
  x.from = 10;
  x.last = 25;
  x.id_max = 3;
  apply(x);
  EXPECT_EQ(store->reached(), 25u);
  EXPECT_EQ(store->id_max(), 4u);
}

TEST_P(projection_store_suite, refuses_a_slice_that_does_not_follow) {
  put({an_item(1)});
  for (const sequence from : {0, 2}) {
    slice x;
    x.from = from;
    x.last = 9;
    x.id_max = 9;
    x.items_gone = {1};
    const auto done = store->apply(x);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error(), ec::invalid_argument);
  }
  EXPECT_EQ(store->reached(), 1u);
  EXPECT_EQ(store->id_max(), 0u);
  EXPECT_EQ(item(1), an_item(1));
}

TEST_P(projection_store_suite,
       changes_nothing_if_a_slice_names_a_missing_item) {
  put({an_item(1)});
  auto x = next_slice();
  x.items_put = {an_item(2)};
  x.items_gone = {1, 77};
  x.rings = {{.queue = "metadata", .user = "ann", .stamp = 1, .credit = 1}};
  x.submissions_put = {a_submission(1)};
  x.id_max = 2;
  const auto done = store->apply(x);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), ec::store_damaged);
  EXPECT_EQ(store->reached(), 1u);
  EXPECT_EQ(store->id_max(), 0u);
  EXPECT_EQ(item(1), an_item(1));
  EXPECT_EQ(store->item(2).error(), ec::not_found);
  EXPECT_TRUE(find({}).empty());
  EXPECT_FALSE(store->load_rings([](const auto&) { FAIL(); }));
}

TEST_P(projection_store_suite, refuses_a_change_of_a_missing_item) {
  auto x = next_slice();
  x.items_changed = {{.id = 3, .has_claim_state = true}};
  EXPECT_EQ(store->apply(x).error(), ec::store_damaged);
}

TEST_P(projection_store_suite, refuses_a_second_item_of_one_id) {
  put({an_item(1)});
  auto x = next_slice();
  x.items_put = {an_item(1, "bob")};
  EXPECT_EQ(store->apply(x).error(), ec::store_damaged);
  EXPECT_EQ(item(1), an_item(1));
}

TEST_P(projection_store_suite, reads_at_once_what_nobody_has_kept) {
  put({an_item(1)});
  for (item_id id = 2; id <= 4; ++id) {
    auto x = next_slice();
    x.items_put = {an_item(id)};
    x.items_gone = {id - 1};
    ASSERT_TRUE(store->apply(x));
    EXPECT_EQ(store->reached(), id);
    EXPECT_EQ(item(id), an_item(id));
    EXPECT_EQ(store->item(id - 1).error(), ec::not_found);
  }
  EXPECT_FALSE(store->commit());
  EXPECT_FALSE(store->commit()) << "there is nothing";
  store->roll_back();
  EXPECT_EQ(store->reached(), 4u);
  EXPECT_EQ(item(4), an_item(4));
}

TEST_P(projection_store_suite, knows_after_a_crash_which_slices_it_has) {
  put({an_item(1)});
  for (item_id id = 2; id <= 3; ++id) {
    auto x = next_slice();
    x.items_put = {an_item(id)};
    x.id_max = id;
    ASSERT_TRUE(store->apply(x));
  }
  store->roll_back();
  const auto reached = store->reached();
  EXPECT_GE(reached, 1u);
  EXPECT_EQ(store->id_max(), reached == 1 ? 0 : reached);
  for (item_id id = 1; id <= 3; ++id)
    EXPECT_EQ(static_cast<bool>(store->item(id)), id <= reached) << id;
  std::size_t items = 0;
  EXPECT_FALSE(store->load_items([&](const auto&) { ++items; }));
  EXPECT_EQ(items, reached);
}

TEST_P(projection_store_suite, keeps_slices_before_it_forgets) {
  auto x = next_slice();
  x.submissions_put = {a_submission(1)};
  ASSERT_TRUE(store->apply(x));
  EXPECT_EQ(store->forget_submissions({9}), 0u);
  store->roll_back();
  EXPECT_EQ(store->reached(), 1u);
  x = next_slice();
  x.submissions_put = {a_submission(2)};
  ASSERT_TRUE(store->apply(x));
  EXPECT_FALSE(store->flush());
  store->roll_back();
  EXPECT_EQ(store->reached(), 2u);
  EXPECT_EQ(find({}).size(), 2u);
}

TEST_P(projection_store_suite, puts_and_drops_items_of_one_slice) {
  auto x = next_slice();
  x.items_put = {an_item(1), an_item(2)};
  x.items_changed = {{.id = 2, .attempt = 3, .has_claim_state = true}};
  x.items_gone = {1};
  EXPECT_EQ(apply(x), std::vector<body_location>{an_item(1).place});
  EXPECT_EQ(store->item(1).error(), ec::not_found);
  EXPECT_EQ(item(2).attempt, 3u);
}

// -- rings and control

TEST_P(projection_store_suite, keeps_the_newest_row_of_each_ring_place) {
  auto x = next_slice();
  x.rings = {{.queue = "q", .user = "ann", .stamp = 5, .credit = 1},
             {.queue = "q", .user = "bob", .stamp = 6, .credit = 2},
             {.queue = "p", .user = "ann", .stamp = 7, .credit = 3}};
  apply(x);
  x = next_slice();
  x.rings = {{.queue = "q", .user = "ann", .stamp = 9, .credit = 0}};
  apply(x);
  std::map<std::string, ring_row> loaded;
  ASSERT_FALSE(store->load_rings([&](const ring_row& row) {
    EXPECT_TRUE(loaded.emplace(row.queue + "/" + row.user, row).second);
  }));
  EXPECT_EQ(loaded.size(), 3u);
  EXPECT_EQ(loaded["q/ann"],
            (ring_row{.queue = "q", .user = "ann", .stamp = 9, .credit = 0}));
  EXPECT_EQ(loaded["q/bob"].stamp, 6u);
  EXPECT_EQ(loaded["p/ann"].credit, 3u);
}

TEST_P(projection_store_suite, keeps_turns_and_what_was_spent_by_themselves) {
  constexpr auto large = ~std::uint64_t{0} / 3;
  auto x = next_slice();
  x.rings = {{.queue = "q",
              .user = "ann",
              .stamp = 5,
              .credit = 1,
              .spent = 100,
              .floor = 40,
              .since = 7,
              .has_spent = true},
             {.queue = "q", .user = "bob", .stamp = 6, .credit = 2}};
  apply(x);
  x = next_slice();
  x.rings = {{.queue = "q",
              .user = "ann",
              .spent = large,
              .floor = 41,
              .since = 8,
              .has_turn = false,
              .has_spent = true},
             {.queue = "q", .user = "bob", .stamp = 9, .credit = 0}};
  apply(x);
  const auto load = [&] {
    std::vector<ring_row> out;
    EXPECT_FALSE(
      store->load_rings([&](const ring_row& row) { out.push_back(row); }));
    return out;
  };
  const ring_row ann{.queue = "q", .user = "ann", .stamp = 5, .credit = 1};
  const ring_row bob{.queue = "q", .user = "bob", .stamp = 9};
  const ring_row spent{.queue = "q",
                       .user = "ann",
                       .spent = large,
                       .floor = 41,
                       .since = 8,
                       .has_turn = false,
                       .has_spent = true};
  EXPECT_EQ(load(), (std::vector<ring_row>{ann, bob, spent}));
  x = next_slice();
  x.rings = {{.queue = "q", .user = "ann", .gone = true}};
  apply(x);
  EXPECT_EQ(load(), std::vector<ring_row>{bob});
}

TEST_P(projection_store_suite, keeps_the_newest_control_row_of_each_key) {
  const std::string bytes{"\0\xff\x80 binary", 10};
  auto x = next_slice();
  x.controls = {{.kind = 9, .key = "q", .value = "old"},
                {.kind = 10, .key = "q", .value = "other kind"},
                {.kind = 9, .key = "", .value = ""}};
  apply(x);
  x = next_slice();
  x.controls = {{.kind = 9, .key = "q", .value = bytes}};
  apply(x);
  std::map<std::pair<int, std::string>, std::string> loaded;
  ASSERT_FALSE(store->load_controls([&](const control_row& row) {
    EXPECT_TRUE(loaded.emplace(std::pair{row.kind, row.key}, row.value).second);
  }));
  EXPECT_EQ(loaded.size(), 3u);
  EXPECT_EQ((loaded[{9, "q"}]), bytes);
  EXPECT_EQ((loaded[{10, "q"}]), "other kind");
}

TEST_P(projection_store_suite, removes_keyed_rows_that_are_gone) {
  auto x = next_slice();
  x.controls = {{.kind = 9, .key = "q", .value = "one"},
                {.kind = 9, .key = "r", .value = "two"}};
  x.rings = {{.queue = "q", .user = "ann", .stamp = 1, .credit = 0},
             {.queue = "q", .user = "bob", .stamp = 2, .credit = 0}};
  apply(x);
  x = next_slice();
  x.controls = {{.kind = 9, .key = "q", .gone = true},
                {.kind = 9, .key = "never", .gone = true}};
  x.rings = {{.queue = "q", .user = "ann", .gone = true}};
  apply(x);
  std::vector<std::string> loaded;
  ASSERT_FALSE(store->load_controls(
    [&](const control_row& row) { loaded.push_back(row.key); }));
  EXPECT_EQ(loaded, (std::vector<std::string>{"r"}));
  loaded.clear();
  ASSERT_FALSE(store->load_rings(
    [&](const ring_row& row) { loaded.push_back(row.user); }));
  EXPECT_EQ(loaded, (std::vector<std::string>{"bob"}));
}

} // namespace depositd
