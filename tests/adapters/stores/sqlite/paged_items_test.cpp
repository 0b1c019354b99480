// Items in pages are what items in rows of their own are, to everybody but the
// disk.

#include "tests/adapters/stores/sqlite/projection_fixture.hpp"

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace depositd {

namespace {

// -- against the same in rows

/// Two stores that are told the same.
class twins {
public:
  explicit twins(const page_sizes& sizes)
    : paged_(open(sizes)), single_(open({.items_min = 1'000'000})) {
    // nop
  }

  void apply(slice x) {
    x.from = single_->reached();
    x.last = x.from + 1;
    auto paged = paged_->apply(x);
    auto single = single_->apply(x);
    RC_ASSERT(paged);
    RC_ASSERT(single);
    const auto by_place = [](const auto& a, const auto& b) {
      return std::tuple{a.group, a.offset, a.length}
             < std::tuple{b.group, b.offset, b.length};
    };
    std::sort(paged->freed.begin(), paged->freed.end(), by_place);
    std::sort(single->freed.begin(), single->freed.end(), by_place);
    RC_ASSERT(paged->freed == single->freed);
  }

  void check(item_id id_max) {
    RC_ASSERT(loaded(*paged_) == loaded(*single_));
    for (item_id id = 0; id <= id_max + 1; ++id)
      RC_ASSERT(item(*paged_, id) == item(*single_, id));
    const auto same = [&](const auto& ask) {
      const auto paged = ask(*paged_);
      const auto single = ask(*single_);
      RC_ASSERT(paged);
      RC_ASSERT(*paged == *single);
    };
    const auto first = an_item(0).received_us;
    for (const auto* queue : {"", "metadata", "query"})
      for (const std::uint32_t count : {1, 3, 1000})
        for (const std::vector<std::string>& users :
             {std::vector<std::string>{}, {"ann"}, {"bob", "nobody"}}) {
          same([&](auto& store) { return store.items(queue, count, users); });
          for (const auto parked : {false, true})
            for (const item_id after : {item_id{0}, id_max / 2})
              same([&](auto& store) {
                return ids_of(store.items_received(
                  {.queue = queue,
                   .users = users,
                   .from_us = first + 3,
                   .to_us = first + static_cast<micros>(id_max) - 3,
                   .parked = parked,
                   .after = after,
                   .count_max = count}));
              });
        }
    for (const std::uint32_t count : {2, 1000})
      same([&](auto& store) {
        return ids_of(store.items_placed(4, id_max / 2, count));
      });
  }

private:
  using found_ids = caf::expected<std::vector<std::pair<item_id, std::string>>>;

  static std::unique_ptr<projection_store> open(const page_sizes& sizes) {
    return std::move(*open_sqlite_projection(":memory:", {.pages = sizes}));
  }

  static std::vector<item_row> loaded(projection_store& from) {
    std::vector<item_row> out;
    RC_ASSERT(!from.load_items([&](const auto& x) { out.push_back(x); }));
    return out;
  }

  static std::optional<item_row> item(projection_store& from, item_id id) {
    auto out = from.item(id);
    if (out)
      return std::move(*out);
    RC_ASSERT(out.error() == ec::not_found);
    return std::nullopt;
  }

  static found_ids
  ids_of(const caf::expected<std::vector<projection_store::range_item>>& x) {
    if (!x)
      return x.error();
    std::vector<std::pair<item_id, std::string>> out;
    for (const auto& one : *x)
      out.emplace_back(one.id, one.queue + "/" + one.user);
    return out;
  }

  std::unique_ptr<projection_store> paged_;
  std::unique_ptr<projection_store> single_;
};

item_row some_item(item_id id) {
  auto out = an_item(id, *rc::gen::element<std::string>("ann", "bob", "cyd"));
  out.queue = *rc::gen::element<std::string>("metadata", "query");
  out.priority = *rc::gen::element<std::uint8_t>(0, 5, 5, 5);
  if (*rc::gen::inRange(0, 8) == 0)
    out.state = *rc::gen::element(item_state::claimed, item_state::delayed,
                                  item_state::parked);
  if (*rc::gen::inRange(0, 8) == 0)
    out.place = {};
  return out;
}

item_change some_change(item_id id) {
  item_change out{.id = id};
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      out.has_claim_state = true;
      out.state = item_state::claimed;
      out.token = 7;
      break;
    case 1:
      out.has_claim_state = true; // as it came
      break;
    case 2:
      out.has_parked_state = true;
      out.state = *rc::gen::element(item_state::parked, item_state::pending);
      break;
    case 3:
      out.has_queue = true;
      out.queue = "query";
      break;
    default:
      out.place = {.group = 1000 + id, .offset = 1, .length = 9};
  }
  return out;
}

RC_GTEST_PROP(paged_items, are_the_same_as_rows, ()) {
  const auto least = static_cast<std::uint32_t>(*rc::gen::inRange(1, 6));
  twins both{
    {.items_min = least,
     .items_max = least + static_cast<std::uint32_t>(*rc::gen::inRange(0, 20)),
     .lanes_max = static_cast<std::uint32_t>(*rc::gen::inRange(1, 5))}};
  std::vector<item_id> live;
  item_id id_max = 0;
  const auto slices = *rc::gen::inRange(1, 8);
  for (auto i = 0; i < slices; ++i) {
    slice x;
    const auto take = [&](int count_max, bool gone) {
      std::vector<item_id> out;
      for (auto n = *rc::gen::inRange(0, count_max); n > 0 && !live.empty();
           --n) {
        const auto at = *rc::gen::inRange<std::size_t>(0, live.size());
        out.push_back(live[at]);
        if (gone)
          live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
      }
      return out;
    };
    for (const auto id : take(6, false))
      x.items_changed.push_back(some_change(id));
    for (const auto id : take(*rc::gen::element(3, 40), true)) {
      x.items_gone.push_back(id);
    }
    // Those that come are in order, but for some of another shard.
    for (auto n = *rc::gen::inRange(0, 30); n > 0; --n)
      x.items_put.push_back(some_item(
        id_max += static_cast<item_id>(*rc::gen::element(1, 1, 1, 3))));
    for (const auto& put : x.items_put)
      live.push_back(put.id);
    x.id_max = id_max;
    both.apply(x);
  }
  both.check(id_max);
}

RC_GTEST_PROP(paged_items, may_come_out_of_order, ()) {
  twins both{{.items_min = 2, .items_max = 6, .lanes_max = 2}};
  auto ids = *rc::gen::unique<std::vector<item_id>>(
    rc::gen::inRange<item_id>(1, 60));
  while (!ids.empty()) {
    slice x;
    const auto count = std::min(
      ids.size(), static_cast<std::size_t>(*rc::gen::inRange(1, 15)));
    for (auto n = count; n > 0; --n, ids.pop_back())
      x.items_put.push_back(some_item(ids.back()));
    both.apply(x);
  }
  both.check(60);
}

// -- in a file

class paged_projection : public projection_fixture {
protected:
  void SetUp() override {
    projection_fixture::SetUp();
    close();
    std::filesystem::remove(path());
    open(path(), {});
  }

  void put(item_id first, item_id last) {
    auto x = next_slice();
    for (auto id = first; id <= last; ++id) {
      x.items_put.push_back(an_item(id, "user" + std::to_string(id % 50)));
      x.items_put.back().digest = 0;
    }
    apply(x);
  }

  void drop(item_id first, item_id last) {
    auto x = next_slice();
    for (auto id = first; id <= last; ++id)
      x.items_gone.push_back(id);
    apply(x);
  }

  /// What a table has.
  std::uint64_t count(const std::string& what) {
    close();
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path().c_str(), &handle), SQLITE_OK);
    std::uint64_t out = 0;
    EXPECT_EQ(sqlite3_exec(
                handle, ("SELECT count(*) FROM " + what).c_str(),
                [](void* to, int, char** values, char**) {
                  *static_cast<std::uint64_t*>(to) = std::stoull(values[0]);
                  return 0;
                },
                &out, nullptr),
              SQLITE_OK);
    sqlite3_close(handle);
    open(path(), {});
    return out;
  }

  void expect_not_read(const char* damage, const std::string& because) {
    close();
    run_sql(path(), damage);
    auto opened = open_sqlite_projection(path());
    everything out;
    const auto error =
      opened ? read_all(**opened, out) : std::move(opened.error());
    expect_refused(error, ec::store_damaged, path());
    EXPECT_NE(render(error).find(because), std::string::npos) << render(error);
  }
};

TEST_F(paged_projection, takes_some_bytes_an_item) {
  put(1, 50'000);
  close();
  EXPECT_LT(std::filesystem::file_size(path()), 50'000u * 12);
}

TEST_F(paged_projection, keeps_few_items_in_rows) {
  put(1, 31);
  EXPECT_EQ(count("item_pages"), 0u);
  EXPECT_EQ(count("items"), 31u);
  put(101, 132);
  EXPECT_EQ(count("item_pages"), 1u);
  EXPECT_EQ(count("items"), 31u);
  EXPECT_EQ(contents().items.size(), 63u);
}

TEST_F(paged_projection, takes_a_page_apart_when_little_of_it_is_left) {
  put(1, 256);
  drop(1, 200);
  EXPECT_EQ(count("item_pages"), 1u);
  EXPECT_EQ(count("items"), 0u);
  drop(201, 224);
  EXPECT_EQ(count("item_pages"), 0u);
  EXPECT_EQ(count("item_lanes"), 0u);
  EXPECT_EQ(count("item_gaps"), 0u);
  EXPECT_EQ(count("items"), 32u);
  drop(225, 256);
  EXPECT_EQ(count("items"), 0u);
  EXPECT_TRUE(contents().items.empty());
}

TEST_F(paged_projection, goes_when_all_of_it_is_gone) {
  put(1, 1'000);
  drop(1, 1'000);
  for (const auto* table : {"items", "item_pages", "item_gaps", "item_lanes"})
    EXPECT_EQ(count(table), 0u) << table;
}

TEST_F(paged_projection, keeps_to_rows_what_is_of_many_queues) {
  auto x = next_slice();
  for (item_id id = 1; id <= 90; ++id) {
    x.items_put.push_back(an_item(id));
    x.items_put.back().queue = "q" + std::to_string(id % 9);
  }
  apply(x);
  EXPECT_EQ(count("item_pages"), 0u);
  EXPECT_EQ(count("items"), 90u);
}

TEST_F(paged_projection, names_the_page_that_was_changed) {
  put(1, 64);
  expect_not_read("UPDATE item_pages SET last = 70", "page of items from 1");
}

TEST_F(paged_projection, names_it_also_to_who_wants_one_item) {
  put(1, 64);
  close();
  run_sql(path(), "UPDATE item_pages SET last = 70");
  open(path(), {});
  const auto found = store->item(17);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), ec::store_damaged);
  EXPECT_NE(render(found.error()).find("page of items from 1"),
            std::string::npos);
}

TEST_F(paged_projection, notices_items_that_come_back) {
  put(1, 64);
  drop(1, 9);
  expect_not_read("UPDATE item_gaps SET gone = 'xxxxxxxx'",
                  "gone of the page of items from 1");
  expect_not_read("UPDATE item_gaps SET gone = 'x'",
                  "gone of the page of items from 1");
  expect_not_read("DELETE FROM item_gaps", "table items");
}

TEST_F(paged_projection, notices_that_a_page_is_missing) {
  put(1, 600);
  expect_not_read("DELETE FROM item_pages WHERE id > 1", "table items");
}

TEST_F(paged_projection, notices_a_page_as_it_was_earlier) {
  put(1, 64);
  drop(1, 9);
  close();
  run_sql(path(), "CREATE TABLE kept AS SELECT * FROM item_gaps");
  open(path(), {});
  drop(10, 20);
  expect_not_read("DELETE FROM item_gaps;"
                  "INSERT INTO item_gaps SELECT * FROM kept; DROP TABLE kept",
                  "table items");
}

TEST_F(paged_projection, notices_an_item_in_a_row_and_in_a_page) {
  put(1, 31);
  close();
  run_sql(path(), "CREATE TABLE kept AS SELECT * FROM items WHERE id = 17");
  open(path(), {});
  drop(1, 31);
  put(1, 64);
  expect_not_read("INSERT INTO items SELECT * FROM kept; DROP TABLE kept",
                  "item 17 is there twice");
}

TEST_F(paged_projection, says_that_what_is_to_leave_is_not_there) {
  put(1, 64);
  drop(5, 5);
  auto x = next_slice();
  x.items_gone = {4, 5};
  const auto again = store->apply(x);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error(), ec::store_damaged);
  EXPECT_EQ(contents().items.size(), 63u) << "nothing of the slice happened";
}

TEST_F(paged_projection, is_made_of_a_file_that_had_rows_only) {
  close();
  open(path());
  fill();
  const auto before = contents();
  close();
  open(path(), {});
  EXPECT_EQ(contents(), before);
  put(1'000, 1'200);
  drop(1'010, 1'020);
  drop(3, 20);
  EXPECT_EQ(contents().items.size(), before.items.size() + 201 - 11 - 18);
}

} // namespace

} // namespace depositd
