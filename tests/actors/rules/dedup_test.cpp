#include "actors/rules/dedup.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

namespace depositd::rules {

using copy = dedup_index::copy;

TEST(dedup_index, a_single_copy_survives_alone) {
  dedup_index index;
  index.add(7, {1, 10});
  const auto out = index.hand_out(7, {1, 10});
  EXPECT_EQ(out.survivor, (copy{1, 10}));
  EXPECT_TRUE(out.collapsed.empty());
  EXPECT_EQ(index.distinct(), 0u);
}

TEST(dedup_index, younger_copies_of_any_user_collapse_into_the_oldest) {
  dedup_index index;
  index.add(7, {1, 10});
  index.add(7, {2, 20});
  index.add(7, {3, 10});
  const auto out = index.hand_out(7, {1, 10});
  EXPECT_EQ(out.survivor, (copy{1, 10}));
  EXPECT_EQ(out.collapsed, (std::vector<copy>{{2, 20}, {3, 10}}));
}

TEST(dedup_index, a_chosen_younger_copy_gives_way_to_the_oldest) {
  dedup_index index;
  index.add(7, {1, 10});
  index.add(7, {2, 20});
  const auto out = index.hand_out(7, {2, 20});
  EXPECT_EQ(out.survivor, (copy{1, 10}));
  EXPECT_EQ(out.collapsed, (std::vector<copy>{{2, 20}}));
}

TEST(dedup_index, the_oldest_is_found_in_whatever_order_copies_come_back) {
  dedup_index index;
  index.add(7, {3, 10});
  index.add(7, {1, 20});
  index.add(7, {2, 10});
  EXPECT_EQ(index.hand_out(7, {3, 10}).survivor, (copy{1, 20}));
}

TEST(dedup_index, copies_that_come_after_a_hand_out_are_a_new_group) {
  dedup_index index;
  index.add(7, {1, 10});
  index.hand_out(7, {1, 10});
  index.add(7, {2, 20});
  const auto out = index.hand_out(7, {2, 20});
  EXPECT_EQ(out.survivor, (copy{2, 20}));
  EXPECT_TRUE(out.collapsed.empty());
}

TEST(dedup_index, an_item_that_was_handed_out_before_merges_with_nobody) {
  dedup_index index;
  index.add(7, {1, 10});
  index.hand_out(7, {1, 10});
  index.add(7, {2, 20});
  const auto again = index.hand_out(7, {1, 10}); // released, and back
  EXPECT_EQ(again.survivor, (copy{1, 10}));
  EXPECT_TRUE(again.collapsed.empty());
  EXPECT_EQ(index.distinct(), 1u);
}

TEST(dedup_index, other_payloads_are_left_alone) {
  dedup_index index;
  index.add(6, {1, 10});
  index.add(7, {2, 10});
  index.add(8, {3, 10});
  EXPECT_TRUE(index.hand_out(7, {2, 10}).collapsed.empty());
  EXPECT_EQ(index.distinct(), 2u);
}

TEST(dedup_index, a_copy_that_left_does_not_survive) {
  dedup_index index;
  index.add(7, {1, 10});
  index.add(7, {2, 20});
  index.remove(7, 1);
  EXPECT_EQ(index.hand_out(7, {2, 20}).survivor, (copy{2, 20}));
}

TEST(dedup_index, unknown_and_repeated_items_change_nothing) {
  dedup_index index;
  index.add(7, {1, 10});
  index.add(7, {1, 10});
  index.remove(7, 2);
  index.remove(8, 1);
  EXPECT_EQ(index.distinct(), 1u);
  EXPECT_TRUE(index.hand_out(7, {1, 10}).collapsed.empty());
}

// Against a list of copies that is searched for everything.
RC_GTEST_PROP(dedup_index, agrees_with_a_plain_list, ()) {
  const auto steps = *rc::gen::container<std::vector<std::uint32_t>>(
    200, rc::gen::inRange<std::uint32_t>(0, 1'000'000));
  dedup_index index;
  std::vector<std::pair<std::uint64_t, copy>> list;
  for (const auto step : steps) {
    const std::uint64_t digest = step % 4;
    const copy one{1 + step / 4 % 30, step / 120 % 3};
    const auto known = std::find_if(list.begin(), list.end(), [&](auto& x) {
      return x.first == digest && x.second.id == one.id;
    });
    switch (step / 360 % 3) {
      case 0:
        index.add(digest, one);
        if (known == list.end())
          list.push_back({digest, one});
        break;
      case 1:
        index.remove(digest, one.id);
        if (known != list.end())
          list.erase(known);
        break;
      default: {
        auto out = index.hand_out(digest, one);
        if (known == list.end()) {
          RC_ASSERT(out.survivor == one && out.collapsed.empty());
          break;
        }
        std::vector<copy> expected;
        for (const auto& x : list)
          if (x.first == digest)
            expected.push_back(x.second);
        std::sort(expected.begin(), expected.end(),
                  [](auto& x, auto& y) { return x.id < y.id; });
        RC_ASSERT(out.survivor == expected.front());
        expected.erase(expected.begin());
        RC_ASSERT(out.collapsed == expected);
        std::erase_if(list, [&](auto& x) { return x.first == digest; });
        break;
      }
    }
    std::map<std::uint64_t, int> digests;
    for (const auto& x : list)
      ++digests[x.first];
    RC_ASSERT(index.distinct() == digests.size());
  }
}

} // namespace depositd::rules
