// Who waits for what another handler ends.

#include "adapters/processing/stages/item_waits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace depositd::stages {

namespace {

class waits : public ::testing::Test {
protected:
  std::uint32_t wait(const std::string& for_what, item_id id,
                     const std::string& user = "ann") {
    handle_item x;
    x.queue = "m.process";
    x.item.id = id;
    x.item.user = user;
    return all.wait(for_what, x);
  }

  std::vector<item_id> ended(const std::vector<std::string>& what) {
    woken.clear();
    all.ended(what);
    std::vector<item_id> out;
    for (const auto& x : woken) {
      EXPECT_EQ(x.queue, "m.process");
      out.insert(out.end(), x.ids.begin(), x.ids.end());
    }
    return out;
  }

  using ids = std::vector<item_id>;

  std::vector<wake_items> woken;
  item_waits all{[this](wake_items x) { woken.push_back(std::move(x)); }};
};

TEST_F(waits, each_is_woken_once_for_what_it_waits_for) {
  wait("a", 1);
  wait("a", 1);
  wait("b", 2);
  EXPECT_EQ(ended({"c"}), ids{});
  EXPECT_EQ(ended({"a"}), ids{1});
  EXPECT_EQ(ended({"a", "b"}), ids{2});
}

TEST_F(waits, of_many_a_few_are_woken_and_the_first_ones_first) {
  for (item_id id = 10; id > 0; --id)
    wait("a", id);
  EXPECT_EQ(ended({"a"}), (ids{1, 2, 3, 4}));
  EXPECT_EQ(ended({"a"}), (ids{5, 6, 7, 8}));
  EXPECT_EQ(ended({"a"}), (ids{9, 10}));
  EXPECT_EQ(ended({"a"}), ids{});
}

TEST_F(waits, for_what_is_ending_they_ask_again_soon_and_not_for_ever) {
  EXPECT_EQ(wait("a", 1), 0u) << "it is woken";
  all.ending("a");
  ASSERT_EQ(woken.size(), 1u);
  EXPECT_EQ(wait("b", 1), 0u) << "something else";
  std::uint32_t total = 0;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < item_waits::asks_max; ++i) {
    const auto delay = wait("a", 1);
    EXPECT_GE(delay, std::max(last, item_waits::first_ask_ms)) << i;
    total += last = delay;
  }
  EXPECT_LE(total, 30'000u);
  EXPECT_EQ(wait("a", 1), 0u) << "whatever has become of it";
  all.ending("a");
  EXPECT_EQ(wait("a", 1), item_waits::first_ask_ms) << "and once more";
}

TEST_F(waits, remember_what_is_ending_within_a_bound) {
  all.ending("first");
  for (std::size_t i = 0; i < item_waits::endings_max; ++i)
    all.ending(std::to_string(i));
  EXPECT_EQ(wait("first", 1), 0u);
  EXPECT_EQ(wait("0", 1), item_waits::first_ask_ms);
}

TEST_F(waits, are_noted_again_where_some_have_been_woken) {
  for (item_id id = 1; id <= item_waits::count_max; ++id)
    wait("a", id);
  wait("b", 1);
  EXPECT_EQ(ended({"b"}), ids{}) << "there was no room";
  EXPECT_EQ(ended({"a"}), (ids{1, 2, 3, 4}));
  for (item_id id = 1; id <= 5; ++id)
    wait("b", id);
  EXPECT_EQ(ended({"b"}), (ids{1, 2, 3, 4}));
  EXPECT_EQ(ended({"b"}), ids{}) << "there was no room for the last";
}

TEST_F(waits, users_are_told_apart) {
  wait("a", 1, "ann");
  wait("a", 2, "ben");
  all.ended({"a"});
  ASSERT_EQ(woken.size(), 2u);
  EXPECT_EQ(woken[0].user, "ann");
  EXPECT_EQ(woken[1].ids, ids{2});
}

} // namespace

} // namespace depositd::stages
