#include "actors/rules/ledger/priority_lane.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd {
namespace {

using rules::priority_lane;
using rules::stored_item;

stored_item item_of(item_id id, bool with_body = false) {
  stored_item out;
  out.id = id;
  out.size = id * 3;
  out.received_us = static_cast<micros>(id) * 1000;
  out.place = {id / 10, static_cast<std::uint32_t>(id % 10), 5};
  if (with_body)
    out.body = std::make_shared<const std::string>(std::to_string(id));
  return out;
}

priority_lane filled(item_id count, bool with_bodies = false) {
  priority_lane out;
  for (item_id id = 1; id <= count; ++id)
    out.add(item_of(id, with_bodies));
  return out;
}

TEST(priority_lane, packs_all_but_its_ends) {
  const auto lane = filled(100'000);
  EXPECT_EQ(lane.size(), 100'000u);
  EXPECT_GT(lane.packed(), 99'000u);
}

TEST(priority_lane, packs_what_has_lost_its_body) {
  auto lane = filled(10'000, true);
  EXPECT_EQ(lane.packed(), 0u);
  for (item_id id = 1; id <= 10'000; ++id)
    EXPECT_TRUE(lane.change(id, [](stored_item& x) { x.body.reset(); }));
  EXPECT_GT(lane.packed(), 9'500u);
  ASSERT_NE(lane.find(5'000), nullptr);
  EXPECT_EQ(lane.find(5'000)->size, 15'000u);
}

TEST(priority_lane, packs_again_what_was_opened_to_be_changed) {
  auto lane = filled(10'000);
  const auto before = lane.packed();
  for (item_id id = 1; id <= 10'000; ++id)
    lane.change(id, [](stored_item& x) { x.place.length = 9; });
  EXPECT_GE(lane.packed() + 256, before);
  for (item_id id = 1; id <= 10'000; ++id)
    ASSERT_EQ(lane.find(id)->place.length, 9u);
}

TEST(priority_lane, opens_nothing_for_what_is_not_there) {
  priority_lane lane;
  for (item_id id = 2; id <= 20'000; id += 2)
    lane.add(item_of(id));
  const auto before = lane.packed();
  for (item_id id = 1; id <= 20'001; id += 2) {
    EXPECT_FALSE(lane.take(id));
    EXPECT_FALSE(lane.change(id, [](stored_item&) {}));
    EXPECT_EQ(lane.find(id), nullptr);
  }
  EXPECT_EQ(lane.packed(), before);
}

TEST(priority_lane, forgets_what_was_taken_while_something_is_always_there) {
  priority_lane lane;
  lane.add(item_of(1));
  for (item_id id = 2; id <= 100'000; ++id) {
    lane.add(item_of(id));
    ASSERT_EQ(lane.front().id, id - 1);
    ASSERT_TRUE(lane.take(id - 1));
  }
  EXPECT_EQ(lane.size(), 1u);
}

TEST(priority_lane, takes_back_what_it_had_between_what_it_has) {
  auto lane = filled(3'000);
  std::vector<stored_item> out;
  for (item_id id = 1; id <= 3'000; id += 3)
    out.push_back(*lane.take(id));
  while (!out.empty()) { // the last first
    lane.add(std::move(out.back()));
    out.pop_back();
  }
  item_id expected = 0;
  lane.for_each([&](const stored_item& x) { ASSERT_EQ(x.id, ++expected); });
  EXPECT_EQ(expected, 3'000u);
  EXPECT_EQ(lane.older_than(2'000), 1'999u);
}

/// A lane, and what it must be like.
class twins {
public:
  void step() {
    switch (*rc::gen::inRange(0, 9)) {
      case 0:
      case 1:
        return add_newest();
      case 2:
        return add_anywhere();
      case 3:
        return take_first();
      case 4:
        return take_some();
      case 5:
        return drop_bodies();
      case 6:
        return move_bodies();
      default:
        return check();
    }
  }

  void check() {
    RC_ASSERT(lane_.size() == model_.size());
    RC_ASSERT(lane_.empty() == model_.empty());
    if (!model_.empty())
      RC_ASSERT(lane_.front().id == model_.begin()->first);
    auto at = model_.begin();
    lane_.for_each([&](const stored_item& x) {
      RC_ASSERT(at != model_.end());
      same(x, (at++)->second);
    });
    RC_ASSERT(at == model_.end());
    const auto id = any_id();
    const auto next = model_.lower_bound(id);
    RC_ASSERT(lane_.older_than(id)
              == static_cast<std::size_t>(std::distance(model_.begin(), next)));
    const auto* found = lane_.find(id);
    const auto is_there = next != model_.end() && next->first == id;
    RC_ASSERT((found != nullptr) == is_there);
    if (found != nullptr)
      same(*found, next->second);
    std::size_t up_to = 0;
    lane_.visit_up_to(id, [&](const stored_item& x) {
      RC_ASSERT(x.id <= id);
      return ++up_to < 100;
    });
    RC_ASSERT(up_to
              == std::min<std::size_t>(100, static_cast<std::size_t>(
                                              std::distance(
                                                model_.begin(),
                                                model_.upper_bound(id)))));
  }

private:
  static void same(const stored_item& x, const stored_item& y) {
    RC_ASSERT(x.id == y.id);
    RC_ASSERT(x.size == y.size);
    RC_ASSERT(x.place == y.place);
    RC_ASSERT(x.body == y.body);
    RC_ASSERT(x.received_us == y.received_us);
  }

  item_id any_id() const {
    return *rc::gen::inRange<item_id>(1, last_ + 2);
  }

  void add_newest() {
    const auto bodies = *rc::gen::arbitrary<bool>();
    const auto count = *rc::gen::inRange(1, 400);
    for (int i = 0; i < count; ++i)
      add(last_ += 1 + static_cast<item_id>(i) % 3, bodies);
  }

  void add_anywhere() {
    const auto first = any_id();
    const auto bodies = *rc::gen::arbitrary<bool>();
    const auto count = *rc::gen::inRange<item_id>(1, 300);
    for (auto id = first + count; id > first; --id)
      if (!model_.contains(id))
        add(id, bodies);
  }

  void take_first() {
    const auto count = *rc::gen::inRange(1, 400);
    for (int i = 0; i < count && !model_.empty(); ++i)
      take(model_.begin()->first);
  }

  void take_some() {
    const auto count = *rc::gen::inRange<item_id>(1, 300);
    const auto step = *rc::gen::inRange<item_id>(1, 5);
    auto id = any_id();
    for (item_id i = 0; i < count; ++i, id += step)
      take(id);
  }

  void drop_bodies() {
    for (auto& [id, x] : model_) {
      lane_.change(id, [](stored_item& y) { y.body.reset(); });
      x.body.reset();
    }
  }

  void move_bodies() {
    const auto id = any_id();
    const auto body = std::make_shared<const std::string>("moved");
    const auto how = [&](stored_item& x) {
      x.place.group = 77;
      x.body = body;
    };
    const auto at = model_.find(id);
    RC_ASSERT(lane_.change(id, how) == (at != model_.end()));
    if (at != model_.end())
      how(at->second);
  }

  void add(item_id id, bool with_body) {
    auto x = item_of(id, with_body);
    model_[id] = x;
    lane_.add(std::move(x));
    last_ = std::max(last_, id);
  }

  void take(item_id id) {
    const auto at = model_.find(id);
    const auto out = lane_.take(id);
    RC_ASSERT(out.has_value() == (at != model_.end()));
    if (!out)
      return;
    same(*out, at->second);
    model_.erase(at);
  }

  priority_lane lane_;
  std::map<item_id, stored_item> model_;
  item_id last_ = 0;
};

RC_GTEST_PROP(priority_lane, is_a_map_by_id, ()) {
  twins both;
  const auto steps = *rc::gen::inRange(0, 60);
  for (int i = 0; i < steps; ++i)
    both.step();
  both.check();
}

} // namespace
} // namespace depositd
