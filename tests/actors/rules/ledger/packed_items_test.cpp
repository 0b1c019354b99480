#include "actors/rules/ledger/packed_items.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <vector>

namespace depositd {
namespace {

using rules::packed_items;
using rules::stored_item;

void expect_same(const stored_item& x, const stored_item& y) {
  EXPECT_EQ(x.id, y.id);
  EXPECT_EQ(x.received_us, y.received_us);
  EXPECT_EQ(x.size, y.size);
  EXPECT_EQ(x.digest, y.digest);
  EXPECT_EQ(x.place, y.place);
  EXPECT_EQ(x.attempt, y.attempt);
  EXPECT_EQ(x.priority, y.priority);
  EXPECT_EQ(x.cls, y.cls);
  EXPECT_EQ(x.kind, y.kind);
  EXPECT_EQ(y.body, nullptr);
}

void expect_kept(const std::vector<stored_item>& items) {
  const auto kept = packed_items{items}.unpacked();
  ASSERT_EQ(kept.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    expect_same(items[i], kept[i]);
}

TEST(packed_items, of_one_depositor_take_few_bytes) {
  std::vector<stored_item> items;
  for (item_id id = 1; id <= 128; ++id) {
    stored_item x;
    x.id = (item_id{3} << 40) + id * 7;
    x.received_us = 1'700'000'000'000'000 + static_cast<micros>(id) * 900;
    x.size = 64;
    x.place = {id / 10, static_cast<std::uint32_t>(id % 10) * 90, 64};
    items.push_back(x);
  }
  expect_kept(items);
  EXPECT_LT(packed_items{items}.bytes(), items.size() * 8);
}

TEST(packed_items, keep_the_ends_of_all_numbers) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  constexpr auto most_32 = std::numeric_limits<std::uint32_t>::max();
  stored_item low;
  low.received_us = std::numeric_limits<micros>::min();
  low.priority = 255;
  low.cls = 7;
  auto high = low;
  high.id = most;
  high.received_us = std::numeric_limits<micros>::max();
  high.size = most;
  high.digest = most;
  high.place = {most, most_32, most_32};
  high.attempt = most_32;
  high.kind = body_kind::blob;
  expect_kept({low, high});
  expect_kept({high});
}

template <class T>
T any_number() {
  const auto x = *rc::gen::arbitrary<T>();
  return *rc::gen::inRange(0, 3) == 0 ? x : static_cast<T>(x & 0x3f);
}

RC_GTEST_PROP(packed_items, keep_what_they_were_made_of, ()) {
  const auto count = *rc::gen::inRange(1, 200);
  std::vector<stored_item> items;
  item_id id = 0;
  for (int i = 0; i < count; ++i) {
    stored_item x;
    x.id = id += 1 + any_number<std::uint32_t>();
    x.received_us = any_number<micros>();
    x.size = any_number<std::uint64_t>();
    x.digest = any_number<std::uint64_t>();
    x.place = {any_number<std::uint64_t>(), any_number<std::uint32_t>(),
               any_number<std::uint32_t>()};
    x.attempt = any_number<std::uint32_t>();
    x.priority = 3;
    x.cls = 2;
    x.kind = static_cast<body_kind>(*rc::gen::inRange(0, 2));
    items.push_back(x);
  }
  expect_kept(items);
}

} // namespace
} // namespace depositd
