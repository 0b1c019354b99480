#pragma once

// What every projection store must do.

#include "messages/ports/projection_store.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

/// Makes empty stores and keeps what they need, such as a folder.
class projection_driver {
public:
  virtual ~projection_driver() = default;

  virtual std::unique_ptr<projection_store> open() = 0;
};

struct projection_candidate {
  std::string name;
  std::function<std::unique_ptr<projection_driver>()> make;
};

/// An item with something in every field.
inline item_row an_item(item_id id, const std::string& user = "ann") {
  item_row out;
  out.id = id;
  out.queue = "metadata";
  out.user = user;
  out.priority = 5;
  out.size = 1'000 + id;
  out.received_us = 1'700'000'000'000'000 + static_cast<micros>(id);
  out.digest = 0xf000'0000'0000'0000 + id;
  out.place = {.group = id, .offset = 7, .length = 100};
  return out;
}

/// A submission with something in every field that a queued one has.
inline submission_row a_submission(item_id id, const std::string& user = "ann",
                                   const std::string& file = "a.xml") {
  submission_row out;
  out.id = id;
  out.user = user;
  out.queue = "metadata";
  out.particulars = {.file_name = file,
                     .operation = "doMDUpload",
                     .login = user + "@example.org/" + user,
                     .source = "http",
                     .blob = "blob" + std::to_string(id),
                     .size = 12};
  out.received_us = 1'700'000'000'000'000 + static_cast<micros>(id);
  return out;
}

class projection_store_suite
  : public ::testing::TestWithParam<projection_candidate> {
protected:
  void SetUp() override {
    driver = GetParam().make();
    store = driver->open();
    ASSERT_NE(store, nullptr);
  }

  /// A slice of one event that follows what is reached.
  slice next_slice() {
    slice out;
    out.from = store->reached();
    out.upto = out.from + 1;
    return out;
  }

  std::vector<body_place> apply(const slice& x) {
    const auto done = store->apply(x);
    EXPECT_TRUE(done) << render(done.error());
    return done ? done->freed : std::vector<body_place>{};
  }

  void put(const std::vector<item_row>& rows) {
    auto x = next_slice();
    x.items_put = rows;
    apply(x);
  }

  void put(const std::vector<submission_row>& rows) {
    auto x = next_slice();
    x.submissions_put = rows;
    apply(x);
  }

  void change(const submission_change& what) {
    auto x = next_slice();
    x.submissions_changed = {what};
    apply(x);
  }

  std::vector<body_place> change(const item_change& what) {
    auto x = next_slice();
    x.items_changed = {what};
    return apply(x);
  }

  item_row item(item_id id) {
    const auto found = store->item(id);
    EXPECT_TRUE(found) << render(found.error());
    return found ? *found : item_row{};
  }

  std::vector<submission_row> find(const submission_query& query) {
    const auto found = store->submissions(query);
    EXPECT_TRUE(found) << render(found.error());
    return found ? *found : std::vector<submission_row>{};
  }

  template <class Rows>
  static std::vector<item_id> ids_of(const Rows& rows) {
    std::vector<item_id> out;
    for (const auto& x : rows)
      out.push_back(x.id);
    return out;
  }

  std::vector<item_id> ids(const submission_query& query) {
    return ids_of(find(query));
  }

  std::vector<item_id> received(const projection_store::range& where) {
    const auto found = store->items_received(where);
    EXPECT_TRUE(found) << render(found.error());
    return found ? ids_of(*found) : std::vector<item_id>{};
  }

  using ids_list = std::vector<item_id>;

  std::unique_ptr<projection_driver> driver;
  std::unique_ptr<projection_store> store;
};

// -- slices

TEST_P(projection_store_suite, starts_with_nothing) {
  EXPECT_EQ(store->reached(), 0u);
  EXPECT_EQ(store->id_max(), 0u);
  const auto fail = [](const auto&) { FAIL(); };
  EXPECT_FALSE(store->load_items(fail));
  EXPECT_FALSE(store->load_rings(fail));
  EXPECT_FALSE(store->load_controls(fail));
  EXPECT_TRUE(find({}).empty());
}

TEST_P(projection_store_suite, reaches_the_end_of_each_slice) {
  slice x;
  x.upto = 10;
  x.id_max = 4;
  apply(x);
  x.from = 10;
  x.upto = 25;
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
    x.upto = 9;
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

TEST_P(projection_store_suite, puts_and_drops_items_of_one_slice) {
  auto x = next_slice();
  x.items_put = {an_item(1), an_item(2)};
  x.items_changed = {{.id = 2, .attempt = 3, .has_claim_state = true}};
  x.items_gone = {1};
  EXPECT_EQ(apply(x), std::vector<body_place>{an_item(1).place});
  EXPECT_EQ(store->item(1).error(), ec::not_found);
  EXPECT_EQ(item(2).attempt, 3u);
}

// -- items

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
  put({row});
  change({.id = 1, .state = item_state::parked, .has_parked_state = true});
  row.state = item_state::parked;
  EXPECT_EQ(item(1), row);
  change({.id = 1, .state = item_state::pending, .has_parked_state = true});
  row.state = item_state::pending;
  EXPECT_EQ(item(1), row);
}

TEST_P(projection_store_suite, moves_a_body_and_frees_its_old_place) {
  put({an_item(1)});
  const body_place moved{.group = 50, .offset = 3, .length = 100};
  EXPECT_EQ(change({.id = 1, .place = moved}),
            std::vector<body_place>{an_item(1).place});
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
  std::map<std::uint64_t, body_place> by_group;
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

TEST_P(projection_store_suite, loads_items_by_user_and_id) {
  put({an_item(9, "ann"), an_item(2, "bob"), an_item(5, "ann")});
  put({an_item(7, "bob"), an_item(1, "cid"), an_item(12, "ann")});
  std::vector<std::string> users;
  std::map<std::string, std::vector<item_id>> loaded;
  ASSERT_FALSE(store->load_items([&](const item_row& x) {
    EXPECT_EQ(x, an_item(x.id, x.user));
    if (users.empty() || users.back() != x.user)
      users.push_back(x.user);
    loaded[x.user].push_back(x.id);
  }));
  EXPECT_EQ(users.size(), 3u) << "the items of a user are not together";
  EXPECT_EQ(loaded["ann"], (ids_list{5, 9, 12}));
  EXPECT_EQ(loaded["bob"], (ids_list{2, 7}));
  EXPECT_EQ(loaded["cid"], ids_list{1});
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
  EXPECT_EQ(ids_of(*store->items("metadata", 10)), (ids_list{6, 2, 5, 4}));
  EXPECT_EQ(ids_of(*store->items("metadata", 2)), (ids_list{6, 2}));
  EXPECT_EQ(store->items("query", 10)->front(), elsewhere);
  EXPECT_TRUE(store->items("Metadata", 10)->empty());
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

// -- submissions

TEST_P(projection_store_suite, gives_a_submission_back_as_it_was_put) {
  auto row = a_submission(1);
  row.particulars.file_name = std::string{"\xe4\0'%_\n", 6};
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
  put({row});
  const auto found = find({.id = 1});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front(), row);
  EXPECT_EQ(ids({.user = "ann", .file_name = row.particulars.file_name}),
            ids_list{1});
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

TEST_P(projection_store_suite, says_whether_a_blob_is_in_use) {
  auto row = a_submission(1);
  row.particulars.blob = "abc";
  row.finished_us = 5;
  auto without = a_submission(2);
  without.particulars.blob.clear();
  put({row, without});
  EXPECT_TRUE(*store->blob_in_use("abc"));
  EXPECT_FALSE(*store->blob_in_use("ab"));
  EXPECT_FALSE(*store->blob_in_use(""));
  ASSERT_EQ(*store->forget_submissions(6, 1), 1u);
  EXPECT_FALSE(*store->blob_in_use("abc"));
}

} // namespace depositd
