// What a user's actor knows of what it has spent, while messages between it and
// its queue are on their way in both directions.

#include "actors/rules/ring/cost_account.hpp"
#include "actors/rules/ring/ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <random>
#include <string>

namespace depositd::rules {

namespace {

constexpr std::uint64_t unit = 1024; // of the ring
constexpr std::uint64_t sum_before = 1'000'000 * unit;
constexpr fair_terms by_bytes{fair_by::bytes, 7};
constexpr fair_terms by_seconds{fair_by::seconds, 7};
constexpr micros ms = 1000;

/// A queue and the actors of two users, whose messages take their time.
class slow_mail {
public:
  slow_mail(std::uint64_t seed, const fair_terms& terms) : random_(seed) {
    ring_.set_fair_by(terms.by);
    for (member_number m = 0; m < users.size(); ++m) {
      ring_.join(m, std::to_string(m), {}, 0, 0, sum_before);
      ring_.change_ready(m, {0, 0, 1'000'000});
      users[m].account = cost_account{terms, {sum_before, 0}, 1, now_};
    }
    ring_.settle_order();
    anybody_ = ring_.open_view({}, 0);
  }

  struct user {
    cost_account account{by_bytes, {}, 1, 0};
    struct picked {
      pick what;
      std::uint64_t heard = 0;
      std::uint64_t floor = 0;
    };
    std::deque<picked> picks;                 ///< on their way to it
    std::deque<ring::news> reports;           ///< on their way to the queue
    std::map<item_id, std::uint64_t> charged; ///< of claims, by seconds
    std::map<item_id, micros> claimed;
    std::uint64_t heard = 0;
    std::uint64_t costs = 0; ///< all that is settled
    std::uint64_t journalled = sum_before;
  };

  std::uint64_t choose(std::uint64_t n) {
    return random_() % n;
  }

  void do_pick() {
    const auto x = *ring_.next(anybody_);
    auto& who = users[x.member];
    who.picks.push_back({x, who.heard, ring_.cost_floor()});
  }

  void meet(user& who) {
    const auto x = who.picks.front();
    who.picks.pop_front();
    who.account.meet_picks(x.heard, x.floor);
    const auto size = 1 + choose(1000);
    who.account.take(x.what, ++id_, size, now_);
    const bool bytes = who.account.terms().by == fair_by::bytes;
    who.costs += bytes ? size : 0;
    if (!bytes) {
      who.charged[id_] = x.what.charge;
      who.claimed[id_] = now_;
    }
    tell(who, 1, 0);
  }

  void end_one(user& who) {
    const auto at = who.claimed.begin();
    now_ += static_cast<micros>(choose(500)) * ms;
    who.account.end(at->first, now_);
    who.costs += static_cast<std::uint64_t>((now_ - at->second) / ms);
    who.charged.erase(at->first);
    who.claimed.erase(at);
    tell(who, 0, 1);
  }

  void tell(user& who, std::int32_t answered, std::int32_t ended) {
    ring::news out;
    if (const auto news = who.account.take_news()) {
      who.journalled = news->paid.spent;
      out.charged = news->charged;
      out.cost = news->cost;
    }
    out.claims_ended = ended;
    out.all = answered > 0; // stands for: answers a pick
    who.reports.push_back(out);
  }

  void hear(member_number m) {
    auto& who = users[m];
    auto what = who.reports.front();
    who.reports.pop_front();
    const ready_change taken{0, 0, -1};
    const ready_change answered{0, 0, 1};
    if (std::exchange(what.all, false)) {
      what.ready = {&taken, 1};
      what.answered = {&answered, 1};
    }
    if (what.charged != 0 || what.cost != 0)
      ++who.heard;
    ring_.report(m, what);
  }

  /// What a crash would find.
  static std::uint64_t owed(const user& who) {
    auto out = sum_before + who.costs * unit;
    for (const auto& [id, charge] : who.charged)
      out += charge * unit;
    return out;
  }

  void step() {
    const auto m = static_cast<member_number>(choose(users.size()));
    auto& who = users[m];
    const auto what = choose(4);
    if (what == 0)
      do_pick();
    else if (what == 1 && !who.picks.empty())
      meet(who);
    else if (what == 2 && !who.claimed.empty())
      end_one(who);
    else if (what == 3 && !who.reports.empty())
      hear(m);
  }

  void deliver_all() {
    for (member_number m = 0; m < users.size(); ++m) {
      while (!users[m].picks.empty())
        meet(users[m]);
      while (!users[m].reports.empty())
        hear(m);
    }
  }

  ring ring_;
  view_number anybody_ = 0;
  std::array<user, 2> users;

private:
  std::mt19937_64 random_;
  item_id id_ = 0;
  micros now_ = 1'000'000;
};

pick a_pick(std::uint64_t charge, std::uint64_t spent) {
  pick out;
  out.charge = charge;
  out.spent = spent;
  return out;
}

} // namespace

// However late the queue hears of costs, what is journalled is what everything
// cost, and what claims that are held are charged with.
TEST(cost_account, is_right_whatever_is_on_its_way) {
  for (const auto& terms : {by_bytes, by_seconds})
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      slow_mail world{seed, terms};
      for (int i = 0; i < 500; ++i) {
        world.step();
        for (const auto& who : world.users)
          ASSERT_EQ(who.journalled, slow_mail::owed(who))
            << "seed " << seed << " step " << i;
      }
      world.deliver_all();
      for (member_number m = 0; m < world.users.size(); ++m)
        ASSERT_EQ(world.ring_.spent(m), world.users[m].journalled)
          << "seed " << seed;
    }
}

TEST(cost_account, has_no_news_where_nothing_happened) {
  cost_account account{by_bytes, {5, 0}, 1, 0};
  EXPECT_FALSE(account.take_news());
  account.meet_picks(0, 3);
  account.end(1, 10);
  EXPECT_FALSE(account.take_news());
  account.take(a_pick(10, 10 * unit), 1, 30, 0);
  const auto news = account.take_news();
  ASSERT_TRUE(news);
  EXPECT_EQ(news->paid, (cost_sum{30 * unit, 3}));
  EXPECT_EQ(news->charged, 10u);
  EXPECT_EQ(news->cost, 30u);
  EXPECT_FALSE(account.take_news());
}

TEST(cost_account, divides_by_the_allocation) {
  cost_account account{by_bytes, {}, 1, 0};
  auto what = a_pick(10, 5 * unit);
  what.weight = 2;
  account.take(what, 1, 30, 0);
  EXPECT_EQ(account.take_news()->paid.spent, 15 * unit);
}

TEST(cost_account, of_an_item_without_bytes_is_not_nothing) {
  cost_account account{by_bytes, {}, 1, 0};
  account.take(a_pick(1, unit), 1, 0, 0);
  EXPECT_EQ(account.take_news()->cost, 1u);
}

TEST(cost_account, counts_parts_of_milliseconds_until_they_are_one) {
  cost_account account{by_seconds, {}, 1, 0};
  std::uint64_t sum = 0;
  for (item_id id = 1; id <= 10; ++id) {
    account.take(a_pick(1, unit), id, 9, 0);
    account.end(id, 700);
    sum += account.take_news()->cost;
  }
  EXPECT_EQ(sum, 7u);
}

TEST(cost_account, gives_nothing_away_to_a_clock_that_was_set_back) {
  cost_account account{by_seconds, {}, 1, 0};
  account.take(a_pick(4, 4 * unit), 1, 9, 50 * ms);
  account.end(1, 20 * ms);
  const auto news = account.take_news();
  ASSERT_TRUE(news);
  EXPECT_EQ(news->cost, 0u);
  EXPECT_EQ(news->charged, 4u);
  EXPECT_EQ(news->paid.spent, 0u);
}

TEST(cost_account, counts_claims_of_before_from_its_own_begin) {
  cost_account account{by_seconds, {8 * unit, 2}, 1, 100 * ms};
  account.end(77, 130 * ms);
  const auto news = account.take_news();
  ASSERT_TRUE(news);
  EXPECT_EQ(news->charged, 0u);
  EXPECT_EQ(news->cost, 30u);
  EXPECT_EQ(news->paid, (cost_sum{38 * unit, 2}));
}

TEST(cost_account, counts_what_nobody_picked) {
  cost_account bytes{by_bytes, {}, 1, 0};
  bytes.take_unpicked(1, 50, 0);
  EXPECT_EQ(bytes.take_news()->cost, 50u);
  bytes.take_unpicked(2, 50, 0, true);
  EXPECT_FALSE(bytes.take_news()) << "it was charged under other terms";
  cost_account seconds{by_seconds, {}, 1, 0};
  seconds.take_unpicked(1, 50, 10 * ms);
  EXPECT_FALSE(seconds.take_news());
  seconds.end(1, 25 * ms);
  EXPECT_EQ(seconds.take_news()->cost, 15u);
}

TEST(cost_account, keeps_its_sum_however_many_reports_nobody_hears) {
  cost_account account{by_bytes, {}, 1, 0};
  for (std::uint64_t i = 1; i <= 5000; ++i) {
    account.take_unpicked(i, 1, 0);
    EXPECT_EQ(account.take_news()->paid.spent, i * unit);
  }
  // The queue had heard of none when it picked.
  account.meet_picks(0, 0);
  account.take(a_pick(1, unit), 6000, 1, 0);
  EXPECT_EQ(account.take_news()->paid.spent, 5001 * unit);
  // Of all.
  account.meet_picks(5001, 0);
  account.take(a_pick(1, 5002 * unit), 6001, 1, 0);
  EXPECT_EQ(account.take_news()->paid.spent, 5002 * unit);
}

} // namespace depositd::rules
