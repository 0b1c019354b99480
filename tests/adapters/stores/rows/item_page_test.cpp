#include "adapters/stores/rows/item_page.hpp"

#include "tests/contract/projection_rows.hpp"

#include <gtest/gtest.h>

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace depositd::rows {

namespace {

std::vector<const item_row*> pointers(const std::vector<item_row>& items) {
  std::vector<const item_row*> out;
  for (const auto& x : items)
    out.push_back(&x);
  return out;
}

item_page page_of(const std::vector<item_row>& items) {
  page_lanes lanes;
  return paged(pointers(items), lanes);
}

std::vector<item_row> some_items(item_id count) {
  std::vector<item_row> out;
  for (item_id id = 1; id <= count; ++id)
    out.push_back(an_item(id, "user" + std::to_string(id % 7)));
  return out;
}

/// Mostly as the one before, sometimes anything.
std::uint64_t some_number(std::uint64_t before) {
  return *rc::gen::weightedOneOf<std::uint64_t>(
    {{4, rc::gen::just(before)},
     {3, rc::gen::just(before + 64)},
     {2, rc::gen::inRange<std::uint64_t>(0, 100'000)},
     {1, rc::gen::arbitrary<std::uint64_t>()}});
}

std::vector<item_row> any_items() {
  const auto count = *rc::gen::inRange(1, 40);
  std::vector<item_row> out;
  item_row x;
  for (auto i = 0; i < count; ++i) {
    x.id += static_cast<item_id>(*rc::gen::inRange(1, 1'000));
    x.user = *rc::gen::element<std::string>("", "ann", "bob's", "c\xff\0d");
    x.queue = *rc::gen::element<std::string>("q", "metadata", "");
    x.priority = *rc::gen::arbitrary<std::uint8_t>();
    x.size = some_number(x.size);
    x.received_us = static_cast<micros>(
      some_number(static_cast<std::uint64_t>(x.received_us)));
    x.digest = some_number(x.digest);
    x.kind = *rc::gen::element(body_kind::inline_bytes, body_kind::blob);
    x.place.group = some_number(x.place.group);
    x.place.offset = static_cast<std::uint32_t>(some_number(x.place.offset));
    x.place.length = static_cast<std::uint32_t>(some_number(x.place.length));
    out.push_back(x);
  }
  return out;
}

RC_GTEST_PROP(item_pages, give_back_what_was_put_in, ()) {
  const auto items = any_items();
  const auto page = page_of(items);
  std::vector<item_row> out = some_items(3);
  RC_ASSERT(!unpack(page, out));
  RC_ASSERT(out == items);
  RC_ASSERT(page.id == items.front().id);
  RC_ASSERT(page.last == items.back().id);
}

RC_GTEST_PROP(item_pages, are_refused_where_they_are_cut_off, ()) {
  auto page = page_of(any_items());
  page.items.resize(static_cast<std::size_t>(
    *rc::gen::inRange<std::size_t>(0, page.items.size())));
  std::vector<item_row> out;
  RC_ASSERT(unpack(page, out) == ec::store_damaged);
}

// What a checksum let through may be anything, but nothing breaks.
RC_GTEST_PROP(item_pages, survive_bytes_that_are_no_page, ()) {
  auto page = page_of(any_items());
  const auto at = *rc::gen::inRange<std::size_t>(0, page.items.size());
  page.items[at] = *rc::gen::arbitrary<char>();
  std::vector<item_row> out;
  const auto error = unpack(page, out);
  RC_ASSERT(!error || error == ec::store_damaged);
  page.items = *rc::gen::arbitrary<std::string>();
  RC_ASSERT(unpack(page, out) == ec::store_damaged);
}

TEST(item_pages, name_each_queue_and_priority_once) {
  auto items = some_items(6);
  items[2].queue = "query";
  items[3].priority = 9;
  items[5].queue = "query";
  page_lanes lanes{{"what was there", 1}};
  paged(pointers(items), lanes);
  EXPECT_EQ(lanes,
            (page_lanes{{"metadata", 5}, {"query", 5}, {"metadata", 9}}));
}

TEST(item_pages, take_a_few_bytes_an_item) {
  auto items = some_items(256);
  for (auto& x : items) {
    x.size = x.place.length = 64;
    x.digest = 0;
    x.place.group = x.id / 40;
    x.place.offset = static_cast<std::uint32_t>(x.id % 40 * 90);
  }
  EXPECT_LT(page_of(items).items.size(), 256u * 6);
}

TEST(item_pages, show_ids_and_places_for_less) {
  const auto items = some_items(40);
  std::vector<item_row> out;
  ASSERT_FALSE(unpack_places(page_of(items), out));
  ASSERT_EQ(out.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(out[i].id, items[i].id);
    EXPECT_EQ(out[i].place, items[i].place);
  }
}

TEST(item_pages, are_refused_when_they_are_too_long) {
  auto page = page_of(some_items(20));
  std::vector<item_row> out;
  for (const std::uint32_t count : {0u, 19u, 21u, 4'000'000'000u}) {
    page.count = count;
    EXPECT_EQ(unpack(page, out), ec::store_damaged) << count;
  }
}

TEST(item_gaps, remember_who_is_gone) {
  item_gaps gaps;
  gaps.clear(20);
  for (const std::size_t at : {0, 7, 8, 19, 7})
    gaps.add(at);
  std::vector<std::size_t> gone;
  for (std::size_t i = 0; i < 20; ++i)
    if (gaps.has(i))
      gone.push_back(i);
  EXPECT_EQ(gone, (std::vector<std::size_t>{0, 7, 8, 19}));
  EXPECT_EQ(gaps.gone.size(), 3u);
}

TEST(item_pages, are_for_what_nobody_has_touched) {
  EXPECT_TRUE(is_untouched(an_item(1)));
  const auto touched = [](auto change) {
    auto x = an_item(1);
    change(x);
    return !is_untouched(x);
  };
  EXPECT_TRUE(touched([](auto& x) { x.state = item_state::parked; }));
  EXPECT_TRUE(touched([](auto& x) { x.attempt = 1; }));
  EXPECT_TRUE(touched([](auto& x) { x.available_us = 7; }));
  EXPECT_TRUE(touched([](auto& x) { x.token = 7; }));
  EXPECT_TRUE(touched([](auto& x) { x.deadline_us = 7; }));
  EXPECT_TRUE(touched([](auto& x) { x.local = true; }));
  EXPECT_TRUE(touched([](auto& x) { x.processor = "sp"; }));
}

} // namespace

} // namespace depositd::rows
