// A ring that shares out bytes or time: by random lives, judged against the
// sums of what everybody got.

#include "actors/rules/ring/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <random>

namespace depositd::rules {

namespace {

/// A queue whose users' actors answer at once, with items of known cost.
class cost_queue {
public:
  explicit cost_queue(std::uint64_t seed, fair_by by = fair_by::bytes)
    : random_(seed) {
    ring_.set_fair_by(by);
    ring_.settle_order();
    anybody_ = ring_.open_view({}, 0);
  }

  struct user {
    std::uint64_t cost_max = 1;
    std::uint64_t got = 0; ///< bytes
    std::int64_t ready = 0;
    std::uint32_t claims = 0;
    member_limits limits;
  };

  void join(std::uint64_t cost_max, const member_limits& limits = {}) {
    const auto m = static_cast<member_number>(users.size());
    users.push_back({.cost_max = cost_max, .limits = limits});
    ring_.join(m, "user-" + std::to_string(m), limits);
  }

  void enqueue(member_number m, std::int32_t count) {
    users[m].ready += count;
    ring_.change_ready(m, {0, 0, count});
  }

  bool eligible(member_number m) const {
    return ring_.explain(m).state == eligibility::eligible;
  }

  std::uint32_t choose(std::uint64_t n) {
    return static_cast<std::uint32_t>(random_() % n);
  }

  /// What the user's actor tells of the item that it took.
  std::uint64_t answer(const pick& x) {
    auto& who = users[x.member];
    const auto cost = 1 + choose(who.cost_max);
    --who.ready;
    ++who.claims;
    who.got += cost;
    const ready_change taken{0, 0, -1};
    const ready_change answered{0, 0, 1};
    ring_.report(x.member, {.ready = {&taken, 1},
                            .answered = {&answered, 1},
                            .charged = x.charge,
                            .cost = cost});
    return cost;
  }

  /// Picks and answers. Whom it picked, which is whoever has spent least.
  std::optional<member_number> serve() {
    auto least = std::numeric_limits<std::uint64_t>::max();
    for (member_number m = 0; m < users.size(); ++m)
      if (eligible(m))
        least = std::min(least, ring_.spent(m));
    const auto floor = ring_.stamp_last();
    auto spent = std::vector<std::uint64_t>{};
    for (member_number m = 0; m < users.size(); ++m)
      spent.push_back(ring_.spent(m));
    const auto x = ring_.next(anybody_);
    if (!x)
      return std::nullopt;
    EXPECT_EQ(spent[x->member], least);
    EXPECT_GT(ring_.stamp_last(), floor);
    answer(*x);
    return x->member;
  }

  void end_claim(member_number m) {
    --users[m].claims;
    ring_.change_in_flight(m, -1);
  }

  ring ring_;
  view_number anybody_ = 0;
  std::vector<user> users;

private:
  std::mt19937_64 random_;
};

} // namespace

// Over every stretch in which two users can be served all the time, what they
// got, divided by their allocation, differs by one item of each at most.
TEST(ring_cost_property, shares_differ_by_one_item_of_each_at_most) {
  std::uint64_t checked = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    cost_queue queue{seed};
    constexpr std::uint32_t users = 5;
    for (std::uint32_t m = 0; m < users; ++m) {
      member_limits limits;
      limits.allocation = 1 + (seed % 2 == 0 ? 0 : queue.choose(3));
      if (queue.choose(3) == 0)
        limits.concurrency = 1 + queue.choose(4);
      queue.join(std::uint64_t{1} << (2 * queue.choose(8)), limits);
    }
    // got[u] at the begin of each stretch in which u is eligible throughout.
    struct stretch {
      std::vector<std::uint64_t> got;
    };
    std::vector<std::deque<stretch>> stretches(users);
    for (int step = 0; step < 1500; ++step) {
      const auto what = queue.choose(3);
      const auto m = queue.choose(users);
      if (what == 0)
        queue.enqueue(m, 1 + static_cast<std::int32_t>(queue.choose(8)));
      else if (what == 1 && queue.users[m].claims > 0)
        queue.end_claim(m);
      else
        queue.serve();
      std::vector<std::uint64_t> got;
      for (const auto& x : queue.users)
        got.push_back(x.got);
      for (member_number u = 0; u < users; ++u) {
        if (!queue.eligible(u)) {
          stretches[u].clear();
          continue;
        }
        stretches[u].push_back({got});
        if (stretches[u].size() > 200)
          stretches[u].pop_front();
      }
      for (member_number u = 0; u < users; ++u)
        for (member_number v = 0; v < u; ++v) {
          const auto count = std::min(stretches[u].size(), stretches[v].size());
          for (std::size_t back = 1; back <= count; ++back) {
            const auto& then = stretches[u][stretches[u].size() - back].got;
            const auto share = [&](member_number w) {
              return static_cast<double>(got[w] - then[w])
                     / queue.users[w].limits.allocation;
            };
            const auto item = [&](member_number w) {
              return static_cast<double>(queue.users[w].cost_max)
                     / queue.users[w].limits.allocation;
            };
            ASSERT_LE(std::abs(share(u) - share(v)), item(u) + item(v) + 0.1)
              << "seed " << seed << " step " << step;
            ++checked;
          }
        }
    }
  }
  EXPECT_GT(checked, 100'000u);
}

TEST(ring_cost_test, large_items_get_no_more_than_small_ones) {
  cost_queue queue{1};
  queue.join(1);
  queue.join(1000);
  queue.enqueue(0, 1'000'000);
  queue.enqueue(1, 1'000'000);
  for (int i = 0; i < 100'000; ++i)
    queue.serve();
  EXPECT_LE(queue.users[0].got, queue.users[1].got + 1001);
  EXPECT_LE(queue.users[1].got, queue.users[0].got + 1001);
}

TEST(ring_cost_test, whoever_comes_back_has_saved_nothing_up) {
  cost_queue queue{1};
  queue.join(1);
  queue.join(1);
  queue.enqueue(0, 1000);
  for (int i = 0; i < 500; ++i)
    queue.serve();
  queue.enqueue(1, 1000);
  for (int i = 0; i < 100; ++i)
    queue.serve();
  EXPECT_LE(queue.users[1].got, 51u);
  EXPECT_GE(queue.users[1].got, 49u);
}

TEST(ring_cost_test, time_is_estimated_first_and_settled_at_the_end) {
  ring queue;
  queue.set_fair_by(fair_by::seconds);
  queue.settle_order();
  for (member_number m = 0; m < 2; ++m) {
    queue.join(m, std::to_string(m), {});
    queue.change_ready(m, {0, 0, 100'000});
  }
  const auto view = queue.open_view({}, 0);
  const ready_change taken{0, 0, -1};
  const ready_change answered{0, 0, 1};
  std::array<std::uint64_t, 2> ms{};
  std::array<std::uint64_t, 2> recorded{};
  for (int i = 0; i < 1000; ++i) {
    const auto x = *queue.next(view);
    recorded[x.member] = x.spent;
    queue.report(x.member, {.ready = {&taken, 1}, .answered = {&answered, 1}});
    const std::uint64_t took = x.member == 0 ? 10 : 300;
    recorded[x.member] = spent_after(recorded[x.member], x, took);
    queue.report(x.member,
                 {.claims_ended = 1, .charged = x.charge, .cost = took});
    ms[x.member] += took;
    EXPECT_EQ(recorded[x.member], queue.spent(x.member)) << "as journalled";
  }
  EXPECT_LE(ms[0], ms[1] + 310);
  EXPECT_LE(ms[1], ms[0] + 310);
  EXPECT_EQ(queue.explain(1).charge, 300u);
}

TEST(ring_cost_test, goes_on_after_a_restart_where_it_stood) {
  cost_queue before{7};
  for (member_number m = 0; m < 4; ++m) {
    before.join(1u << (3 * m));
    before.enqueue(m, 100'000);
  }
  for (int i = 0; i < 5000; ++i)
    before.serve();
  ring after;
  after.set_fair_by(fair_by::bytes);
  for (member_number m = 0; m < 4; ++m) {
    after.join(m, std::to_string(m), {}, before.ring_.explain(m).stamp, 1,
               before.ring_.spent(m));
    after.change_ready(m, {0, 0, 100});
  }
  after.settle_order();
  after.join(4, "new", {});
  after.change_ready(4, {0, 0, 100});
  EXPECT_EQ(after.spent(4), std::min({after.spent(0), after.spent(1),
                                      after.spent(2), after.spent(3)}));
  const auto view = after.open_view({.excluded = {"new"}}, 0);
  EXPECT_EQ(after.next(view)->member,
            before.ring_.next(before.anybody_)->member);
}

TEST(ring_cost_test, whoever_was_not_served_before_a_restart_is_owed_nothing) {
  ring before;
  before.set_fair_by(fair_by::bytes);
  before.settle_order();
  before.join(0, "old", {}, 0, 0, 500'000);
  before.change_ready(0, {0, 0, 10});
  const auto any_before = before.open_view({}, 0);
  const auto last = *before.next(any_before);
  ring after;
  after.set_fair_by(fair_by::bytes);
  after.raise_stamp(last.stamp);
  after.raise_floor(before.cost_floor());
  after.join(0, "old", {}, last.stamp, last.credit, last.spent);
  after.join(1, "new", {});
  after.join(2, "back", {}, 1, 0, 1000); // it had nothing for long
  for (member_number m = 0; m < 3; ++m)
    after.change_ready(m, {0, 0, 10});
  after.settle_order();
  EXPECT_EQ(after.spent(0), last.spent);
  EXPECT_EQ(after.spent(1), before.cost_floor());
  EXPECT_EQ(after.spent(2), before.cost_floor());
  EXPECT_EQ(after.cost_floor(), before.cost_floor());
}

TEST(ring_cost_test, stands_where_it_stood_though_nobody_was_there) {
  ring queue;
  queue.set_fair_by(fair_by::bytes);
  queue.raise_floor(7000);
  queue.settle_order();
  queue.join(0, "new", {});
  queue.change_ready(0, {0, 0, 1});
  EXPECT_EQ(queue.spent(0), 7000u);
  queue.set_fair_by(fair_by::turns);
  EXPECT_EQ(queue.cost_floor(), 0u);
  queue.raise_floor(7000);
  EXPECT_EQ(queue.cost_floor(), 0u) << "turns have none";
}

TEST(ring_cost_test, claims_that_nobody_picked_are_paid_and_counted) {
  ring queue;
  queue.set_fair_by(fair_by::bytes);
  queue.settle_order();
  queue.join(0, "ann", {});
  queue.change_ready(0, {0, 0, 10});
  const ready_change taken{0, 0, -4};
  queue.report(0, {.ready = {&taken, 1}, .claims_ended = -4, .cost = 800});
  EXPECT_EQ(queue.spent(0), 800u * 1024);
  EXPECT_EQ(queue.explain(0).charge, 200u) << "one costs a quarter";
  EXPECT_EQ(queue.in_flight_total(), 4u);
}

TEST(ring_cost_test, what_is_shared_out_can_be_changed_at_any_time) {
  cost_queue queue{3};
  for (member_number m = 0; m < 3; ++m) {
    queue.join(100);
    queue.enqueue(m, 1000);
  }
  for (int i = 0; i < 50; ++i)
    queue.serve();
  std::vector<std::uint32_t> turns;
  for (member_number m = 0; m < 3; ++m)
    turns.push_back(queue.ring_.explain(m).turn);
  queue.ring_.set_fair_by(fair_by::turns);
  for (member_number m = 0; m < 3; ++m) {
    EXPECT_EQ(queue.ring_.explain(m).turn, turns[m]);
    EXPECT_EQ(queue.ring_.spent(m), 0u);
  }
  std::vector<int> got(3);
  for (int i = 0; i < 9; ++i)
    ++got[queue.ring_.next(queue.anybody_)->member];
  EXPECT_EQ(got, (std::vector<int>{3, 3, 3}));
  queue.ring_.set_fair_by(fair_by::seconds);
  EXPECT_TRUE(queue.ring_.next(queue.anybody_));
}

TEST(ring_cost_test, a_declined_pick_gives_place_and_cost_back_once) {
  cost_queue queue{1};
  for (member_number m = 0; m < 2; ++m) {
    queue.join(10);
    queue.enqueue(m, 9);
  }
  const auto first = *queue.ring_.next(queue.anybody_);
  queue.ring_.undo(first);
  EXPECT_EQ(queue.ring_.spent(first.member), 0u);
  const auto again = *queue.ring_.next(queue.anybody_);
  EXPECT_EQ(again.member, first.member);
  queue.ring_.undo(again);
  EXPECT_NE(queue.ring_.next(queue.anybody_)->member, first.member);
}

TEST(ring_cost_test, a_required_user_pays_but_is_not_left_behind) {
  cost_queue queue{1};
  for (member_number m = 0; m < 2; ++m) {
    queue.join(1);
    queue.enqueue(m, 10'000);
  }
  const auto only = queue.ring_.open_view({.required = {"user-1"}}, 0);
  for (int i = 0; i < 1000; ++i)
    queue.answer(*queue.ring_.next(only));
  int waited = 0;
  while (queue.ring_.next(queue.anybody_)->member != 1)
    ++waited;
  EXPECT_LE(waited, 3);
  EXPECT_GE(waited, 1);
}

} // namespace depositd::rules
