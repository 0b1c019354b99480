// The order of a lane, by random lives, against a list that is sorted anew.

#include "actors/rules/ring/lane.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

namespace depositd::rules {

namespace {

struct pair_of_links {
  std::uint32_t prev = unlinked;
  std::uint32_t next = nobody;
};

struct vector_links {
  std::vector<pair_of_links>* all;

  std::uint32_t& prev(std::uint32_t id) const noexcept {
    return (*all)[id].prev;
  }
  std::uint32_t& next(std::uint32_t id) const noexcept {
    return (*all)[id].next;
  }
};

/// A lane and what it should be.
class watched_lane {
public:
  explicit watched_lane(std::uint32_t ids) : links_(ids) {}

  bool linked(std::uint32_t id) const {
    return links_[id].prev != unlinked;
  }

  void push(std::uint32_t id, std::uint64_t tag, bool front) {
    const standing x{std::max(tag, last_), front ? --first_ : ++newest_, id};
    model_.insert(std::upper_bound(model_.begin(), model_.end(), x), x);
    if (front)
      lane_.push_front(links(), id, tag, ++stamp_);
    else
      lane_.push_back(links(), id, tag, ++stamp_);
  }

  void erase(std::uint32_t id) {
    std::erase_if(model_, [id](const standing& x) { return x.id == id; });
    lane_.erase(links(), id);
  }

  std::uint32_t head() {
    const auto out = lane_.head(links(), [this](std::uint32_t id) {
      EXPECT_TRUE(linked(id));
    });
    EXPECT_EQ(out, model_.empty() ? nobody : model_.front().id);
    if (!model_.empty())
      last_ = std::max(last_, model_.front().tag);
    return out;
  }

  void compare() {
    std::vector<std::uint32_t> order;
    for (const auto& x : model_)
      order.push_back(x.id);
    EXPECT_EQ(lane_.size(), order.size());
    EXPECT_EQ(lane_.all(links()), order);
    const auto odd = [](std::uint32_t id) { return id % 2 == 1; };
    const auto at = std::find_if(order.begin(), order.end(), odd);
    EXPECT_EQ(lane_.first(links(), odd), at == order.end() ? nobody : *at);
    const auto some = order.size() / 3;
    order.resize(some);
    EXPECT_EQ(lane_.first_of(links(), some), order);
  }

  std::uint64_t last() const {
    return last_;
  }

  std::size_t kept() const {
    return lane_.kept();
  }

private:
  struct standing {
    std::uint64_t tag = 0;
    std::int64_t order = 0;
    std::uint32_t id = 0;

    friend bool operator<(const standing& x, const standing& y) {
      return std::tie(x.tag, x.order) < std::tie(y.tag, y.order);
    }
  };

  vector_links links() {
    return {&links_};
  }

  lane lane_;
  std::vector<pair_of_links> links_;
  std::vector<standing> model_;
  std::uint64_t last_ = 0;
  std::uint32_t stamp_ = 0;
  std::int64_t first_ = 0;
  std::int64_t newest_ = 0;
};

} // namespace

TEST(lane_property, is_in_the_order_of_tags_and_first_in_first_out) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random{seed};
    const auto choose = [&](std::uint64_t n) { return random() % n; };
    constexpr std::uint32_t ids = 70;
    watched_lane lane{ids};
    // Few distinct tags in some lives, hardly two alike in others.
    const auto spread = std::uint64_t{1} << choose(40);
    for (int step = 0; step < 3000; ++step) {
      const auto id = static_cast<std::uint32_t>(choose(ids));
      // Now and then one that is behind the head, or very far.
      auto tag = lane.last() + choose(spread + 1);
      if (choose(20) == 0)
        tag = choose(lane.last() + 1);
      else if (choose(50) == 0)
        tag += std::uint64_t{1} << (20 + choose(42));
      if (lane.linked(id))
        lane.erase(id);
      else
        lane.push(id, tag, choose(4) == 0);
      // The usual life of a lane: the head goes behind others.
      if (choose(2) == 0)
        if (const auto first = lane.head(); first != nobody) {
          lane.erase(first);
          lane.push(first, lane.last() + choose(spread + 1), choose(8) == 0);
        }
      if (step % 16 == 0)
        lane.compare();
      ASSERT_FALSE(::testing::Test::HasFailure())
        << "seed " << seed << " step " << step;
    }
  }
}

TEST(lane_test, has_room_for_the_highest_tags) {
  watched_lane lane{4};
  const auto most = std::numeric_limits<std::uint64_t>::max();
  lane.push(0, most, false);
  lane.push(1, most - 1, false);
  lane.push(2, most, true);
  lane.push(3, std::uint64_t{1} << 63, false);
  lane.compare();
  for (const std::uint32_t id : {3, 1, 2, 0}) {
    EXPECT_EQ(lane.head(), id);
    lane.erase(id);
  }
  lane.compare();
}

// Whoever comes and goes without being served leaves something behind.
TEST(lane_test, stays_small_whoever_comes_and_goes) {
  watched_lane lane{3};
  lane.push(0, 1'000'000, false);
  std::size_t most = 0;
  for (int i = 0; i < 100'000; ++i) {
    lane.push(1, 1'000'000 + static_cast<std::uint64_t>(i), i % 2 == 0);
    lane.erase(1);
    most = std::max(most, lane.kept());
  }
  EXPECT_LT(most, 2'000u);
  EXPECT_GT(most, 500u) << "it is not tidied each time";
  lane.push(2, 999'999, false);
  lane.compare();
  EXPECT_EQ(lane.head(), 2u);
}

TEST(lane_test, keeps_its_order_when_it_is_tidied) {
  watched_lane lane{40};
  for (std::uint32_t id = 0; id < 40; ++id)
    lane.push(id, 1'000'000 + id % 5, id % 7 == 0);
  for (int i = 0; i < 20'000; ++i) {
    const auto id = static_cast<std::uint32_t>(i % 13);
    lane.erase(id);
    lane.push(id, 1'000'000 + static_cast<std::uint64_t>(i % 4096),
              i % 3 == 0);
  }
  lane.compare();
  for (std::uint32_t left = 40; left > 0; --left) {
    const auto first = lane.head();
    ASSERT_NE(first, nobody);
    lane.erase(first);
  }
  EXPECT_EQ(lane.head(), nobody);
}

} // namespace depositd::rules
