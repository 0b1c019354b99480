#include "actors/rules/ledger/dedup.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace depositd::rules {

using copy = dedup_index::copy;
using copies = std::vector<copy>;

copy a_copy(item_id id, std::uint32_t member = 10) {
  return {id, member, 100 + id, static_cast<std::uint8_t>(id % 3)};
}

TEST(dedup_index, admits_the_first_copy_and_shadows_the_others) {
  dedup_index index;
  EXPECT_TRUE(index.arrive(7, a_copy(1)));
  EXPECT_FALSE(index.arrive(7, a_copy(2, 20)));
  EXPECT_FALSE(index.arrive(7, a_copy(3)));
  EXPECT_EQ(index.size(), 3u);
}

TEST(dedup_index, the_first_to_arrive_stays_admitted_whatever_its_id) {
  dedup_index index;
  EXPECT_TRUE(index.arrive(7, a_copy(5)));
  EXPECT_FALSE(index.arrive(7, a_copy(1)));
  EXPECT_TRUE(index.admitted(7, 5));
  EXPECT_FALSE(index.admitted(7, 1));
}

TEST(dedup_index, a_single_copy_collapses_nothing) {
  dedup_index index;
  index.arrive(7, a_copy(1));
  EXPECT_TRUE(index.deliver(7, 1).empty());
  EXPECT_EQ(index.size(), 0u);
}

TEST(dedup_index, a_hand_out_collapses_the_other_copies_of_any_user) {
  dedup_index index;
  index.arrive(7, a_copy(1, 10));
  index.arrive(7, a_copy(2, 20));
  index.arrive(7, a_copy(3, 10));
  EXPECT_EQ(index.deliver(7, 1), (copies{a_copy(2, 20), a_copy(3, 10)}));
  EXPECT_EQ(index.size(), 0u);
}

TEST(dedup_index, a_shadow_that_is_handed_out_by_id_survives) {
  dedup_index index;
  index.arrive(7, a_copy(1));
  index.arrive(7, a_copy(2));
  EXPECT_EQ(index.deliver(7, 2), copies{a_copy(1)});
  EXPECT_TRUE(index.arrive(7, a_copy(3)));
}

TEST(dedup_index, copies_that_come_after_a_hand_out_are_a_new_group) {
  dedup_index index;
  index.arrive(7, a_copy(1));
  index.deliver(7, 1);
  EXPECT_TRUE(index.arrive(7, a_copy(2)));
  EXPECT_TRUE(index.deliver(7, 1).empty()) << "said twice";
  EXPECT_TRUE(index.admitted(7, 2));
}

TEST(dedup_index, other_payloads_are_left_alone) {
  dedup_index index;
  EXPECT_TRUE(index.arrive(6, a_copy(1)));
  EXPECT_TRUE(index.arrive(7, a_copy(2)));
  EXPECT_TRUE(index.arrive(8, a_copy(3)));
  EXPECT_TRUE(index.deliver(7, 2).empty());
  EXPECT_EQ(index.size(), 2u);
}

TEST(dedup_index, the_oldest_shadow_follows_an_admitted_copy_that_left) {
  dedup_index index;
  index.arrive(7, a_copy(1));
  index.arrive(7, a_copy(9));
  index.arrive(7, a_copy(4, 20));
  EXPECT_EQ(index.left(7, 1), a_copy(4, 20));
  EXPECT_EQ(index.deliver(7, 4), copies{a_copy(9)});
}

TEST(dedup_index, nobody_follows_a_shadow_or_the_last_copy) {
  dedup_index index;
  index.arrive(7, a_copy(1));
  index.arrive(7, a_copy(2));
  EXPECT_EQ(index.left(7, 2), std::nullopt);
  EXPECT_EQ(index.left(7, 1), std::nullopt);
  EXPECT_EQ(index.size(), 0u);
  EXPECT_TRUE(index.arrive(7, a_copy(3)));
}

TEST(dedup_index, unknown_and_repeated_items_change_nothing) {
  dedup_index index;
  index.arrive(7, a_copy(1));
  EXPECT_FALSE(index.arrive(7, a_copy(1)));
  EXPECT_EQ(index.left(7, 2), std::nullopt);
  EXPECT_EQ(index.left(8, 1), std::nullopt);
  EXPECT_TRUE(index.deliver(7, 2).empty());
  EXPECT_TRUE(index.deliver(8, 1).empty());
  EXPECT_EQ(index.size(), 1u);
  EXPECT_TRUE(index.admitted(7, 1));
}

/// The rules said plainly: a list of what waits, searched for everything.
struct plain_list {
  struct one {
    std::uint64_t digest;
    copy what;
    bool admitted;
  };
  std::vector<one> waiting;

  auto find(std::uint64_t digest, item_id id) {
    return std::find_if(waiting.begin(), waiting.end(), [&](auto& x) {
      return x.digest == digest && x.what.id == id;
    });
  }

  bool arrive(std::uint64_t digest, const copy& x) {
    if (find(digest, x.id) != waiting.end())
      return false;
    const auto first
      = std::none_of(waiting.begin(), waiting.end(),
                     [&](auto& y) { return y.digest == digest; });
    waiting.push_back({digest, x, first});
    std::sort(waiting.begin(), waiting.end(),
              [](auto& a, auto& b) { return a.what.id < b.what.id; });
    return first;
  }

  copies deliver(std::uint64_t digest, item_id id) {
    copies out;
    if (find(digest, id) == waiting.end())
      return out;
    for (const auto& x : waiting)
      if (x.digest == digest && x.what.id != id)
        out.push_back(x.what);
    std::erase_if(waiting, [&](auto& x) { return x.digest == digest; });
    return out;
  }

  std::optional<copy> left(std::uint64_t digest, item_id id) {
    const auto at = find(digest, id);
    if (at == waiting.end())
      return std::nullopt;
    const auto led = at->admitted;
    waiting.erase(at);
    for (auto& x : waiting)
      if (led && x.digest == digest) {
        x.admitted = true;
        return x.what;
      }
    return std::nullopt;
  }
};

RC_GTEST_PROP(dedup_index, agrees_with_a_plain_list, ()) {
  const auto steps = *rc::gen::container<std::vector<std::uint32_t>>(
    200, rc::gen::inRange<std::uint32_t>(0, 1'000'000));
  dedup_index index;
  plain_list list;
  for (const auto step : steps) {
    const std::uint64_t digest = step % 4;
    const auto one = a_copy(1 + step / 4 % 30, step / 120 % 3);
    switch (step / 360 % 4) {
      case 0:
      case 1:
        RC_ASSERT(index.arrive(digest, one) == list.arrive(digest, one));
        break;
      case 2:
        RC_ASSERT(index.left(digest, one.id) == list.left(digest, one.id));
        break;
      default:
        RC_ASSERT(index.deliver(digest, one.id)
                  == list.deliver(digest, one.id));
        break;
    }
    RC_ASSERT(index.size() == list.waiting.size());
    // Of every payload that waits exactly one copy is admitted.
    std::set<std::uint64_t> waiting;
    std::set<std::uint64_t> led;
    for (const auto& x : list.waiting) {
      waiting.insert(x.digest);
      RC_ASSERT(index.admitted(x.digest, x.what.id) == x.admitted);
      if (x.admitted)
        RC_ASSERT(led.insert(x.digest).second);
    }
    RC_ASSERT(led == waiting);
  }
}

} // namespace depositd::rules
