#include "messages/values/shared_map.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace depositd {
namespace {

using numbers = shared_map<int, std::string>;

numbers counted_to(int end) {
  numbers out;
  for (int i = 0; i < end; ++i)
    out[i] = std::to_string(i);
  return out;
}

RC_GTEST_PROP(shared_map_of, anything_is_as_the_standard_map, ()) {
  std::map<int, int> model;
  shared_map<int, int> map;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
    rc::gen::pair(rc::gen::inRange(0, 300), rc::gen::inRange(0, 4)));
  std::vector<std::pair<shared_map<int, int>, std::map<int, int>>> copies;
  for (const auto& [key, what] : steps) {
    if (what == 0) {
      RC_ASSERT(map.erase(key) == model.erase(key));
    } else if (what == 1) {
      RC_ASSERT(map.try_emplace(key, what).second
                == model.try_emplace(key, what).second);
    } else {
      map[key] = what;
      model[key] = what;
    }
    if (key < 10)
      copies.emplace_back(map, model);
  }
  copies.emplace_back(map, model);
  // No copy has seen what was changed after it.
  for (const auto& [copy, was] : copies) {
    RC_ASSERT(copy.size() == was.size());
    RC_ASSERT(std::equal(copy.begin(), copy.end(), was.begin(), was.end(),
                         [](const auto& x, const auto& y) {
                           return x.first == y.first && x.second == y.second;
                         }));
    for (int key = -1; key < 301; ++key) {
      const auto at = was.upper_bound(key);
      const auto found = copy.upper_bound(key);
      RC_ASSERT((found == copy.end()) == (at == was.end()));
      if (at != was.end()) // RC_ASSERT looks at both sides of an `or`
        RC_ASSERT(found->first == at->first);
      RC_ASSERT(copy.count(key) == was.count(key));
    }
  }
}

TEST(shared_map_of, thousands_shares_nearly_all_with_its_copy) {
  const auto before = counted_to(8'000);
  auto after = before;
  EXPECT_TRUE(after.is_same(before));
  const auto* far_away = &before.at(7'000);
  after[1] = "one";
  EXPECT_FALSE(after.is_same(before));
  EXPECT_EQ(&after.at(7'000), far_away);
  EXPECT_NE(&after.at(2), &before.at(2));
  EXPECT_EQ(before.at(1), "1");
  EXPECT_EQ(after.at(1), "one");
}

TEST(shared_map_of, equal_entries_is_equal_however_it_came_about) {
  auto from_below = counted_to(1'000);
  numbers from_above;
  for (int i = 999; i >= 0; --i)
    from_above[i] = std::to_string(i);
  EXPECT_EQ(from_below, from_above);
  from_above[500] = "other";
  EXPECT_FALSE(from_below == from_above);
}

TEST(shared_map_of, some_entries_is_walked_in_both_directions) {
  const auto map = counted_to(200);
  auto at = map.end();
  for (int i = 199; i >= 0; --i)
    EXPECT_EQ((--at)->first, i);
  EXPECT_EQ(at, map.begin());
}

} // namespace
} // namespace depositd
