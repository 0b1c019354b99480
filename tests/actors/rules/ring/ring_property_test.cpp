// Random lives of a queue against the brute-force oracle, and the promises of
// the design checked on grant logs without it.

#include "tests/support/ring_world.hpp"

#include <rapidcheck/gtest.h>

#include <deque>
#include <random>

namespace depositd::testing {

namespace {

chooser seeded(std::uint64_t seed) {
  return [random = std::mt19937_64{seed}](std::uint32_t n) mutable {
    return static_cast<std::uint32_t>(random() % n);
  };
}

/// Reads choices off a tape, so that a failing life shrinks; 0 when it ends.
chooser from_tape(std::vector<std::uint32_t> tape) {
  return [tape = std::move(tape),
          at = std::size_t{0}](std::uint32_t n) mutable -> std::uint32_t {
    return at < tape.size() ? tape[at++] % n : 0;
  };
}

world_options one_band() {
  return {};
}

world_options with_sizes() {
  world_options out;
  out.sizes = {10, 100, 1000};
  return out;
}

world_options with_bands() {
  world_options out;
  out.across_users = true;
  out.bands = {0, 1, 63, 64, 99};
  return out;
}

world_options with_everything() {
  auto out = with_bands();
  out.sizes = {10, 100, 1000};
  return out;
}

/// Many short lives: a life that goes on for long is mostly crowded.
void live(const world_options& options, std::uint64_t steps) {
  std::uint64_t picks = 0;
  std::uint64_t matches = 0;
  std::uint64_t declines = 0;
  for (std::uint64_t life = 0; life * 1000 < steps; ++life) {
    SCOPED_TRACE("life " + std::to_string(life));
    ring_world world{options, seeded(life)};
    world.recover();
    for (int i = 0; i < 1000; ++i) {
      world.step();
      if (i % 50 == 0)
        world.compare_looks();
      if (::testing::Test::HasFatalFailure())
        return;
    }
    picks += world.picks_made;
    matches += world.matches;
    declines += world.declines;
  }
  // A life in which nothing happens proves nothing.
  EXPECT_GT(picks, steps / 20);
  EXPECT_GT(matches, steps / 40);
  EXPECT_GT(declines, options.late ? steps / 1000 : 0);
}

} // namespace

TEST(ring_property, agrees_with_the_oracle_over_long_lives) {
  live(one_band(), 200'000);
}

TEST(ring_property, agrees_with_the_oracle_when_sizes_differ) {
  live(with_sizes(), 200'000);
}

TEST(ring_property, agrees_with_the_oracle_when_priority_orders_users) {
  live(with_bands(), 100'000);
}

TEST(ring_property, agrees_with_the_oracle_when_everything_is_in_use) {
  live(with_everything(), 100'000);
}

RC_GTEST_PROP(ring_property, agrees_with_the_oracle_on_any_life, ()) {
  const auto length = *rc::gen::inRange<std::size_t>(100, 3000);
  const auto tape = *rc::gen::container<std::vector<std::uint32_t>>(
    length, rc::gen::inRange<std::uint32_t>(0, 1'000'000));
  auto options = with_everything();
  options.users = 3;
  options.late = tape.size() % 2 == 0;
  ring_world world{options, from_tape(tape)};
  world.recover();
  for (std::size_t i = 0; i < tape.size() / 3; ++i) {
    world.step();
    world.compare_looks();
    RC_ASSERT(!::testing::Test::HasFatalFailure());
  }
}

// -- the promises, on a queue whose processors ask for anything ---------------

namespace {

/// A queue whose nodes answer at once, and a log of who was eligible when.
class plain_queue {
public:
  plain_queue(std::uint32_t users, std::uint64_t seed)
    : choose_(seeded(seed)), users_(users) {
    view_ = ring_.open_view({}, 0);
    ring_.settle_order();
    for (member_number m = 0; m < users; ++m) {
      users_[m].limits.allocation = 1 + choose_(4);
      if (choose_(2) == 0)
        users_[m].limits.concurrency = choose_(6);
      ring_.join(m, "user-" + std::to_string(m), users_[m].limits);
    }
  }

  struct user {
    member_limits limits;
    std::uint32_t claims = 0;
  };

  /// Something changes. Returns whether an allocation did.
  bool disturb() {
    const auto m = choose_(static_cast<std::uint32_t>(users_.size()));
    auto& x = users_[m];
    switch (choose_(12)) {
      default:
        ring_.change_ready(m, {0, 0, 1});
        break;
      case 1:
      case 2:
      case 3:
        if (x.claims > 0) {
          --x.claims;
          ring_.change_in_flight(m, -1);
        }
        break;
      case 4:
        if (choose_(4) == 0) {
          x.limits.held = !x.limits.held;
          ring_.set_limits(m, x.limits);
        }
        break;
      case 5:
        if (choose_(20) == 0) {
          x.limits.allocation = choose_(4);
          ring_.set_limits(m, x.limits);
          return true;
        }
        break;
    }
    return false;
  }

  std::optional<member_number> grant() {
    const auto what = ring_.next(view_);
    if (!what)
      return std::nullopt;
    ++users_[what->member].claims;
    const ready_change taken{0, 0, -1};
    const ready_change answered{0, 0, 1};
    ring_.report(what->member,
                 {.ready = {&taken, 1}, .answered = {&answered, 1}});
    return what->member;
  }

  bool eligible(member_number m) const {
    return ring_.explain(m).state == eligibility::eligible;
  }

  const user& of(member_number m) const {
    return users_[m];
  }

  std::uint32_t choose(std::uint32_t n) {
    return choose_(n);
  }

private:
  chooser choose_;
  std::vector<user> users_;
  rules::ring ring_;
  rules::view_number view_ = 0;
};

/// Grants since some moment from which on a user was eligible all the time.
struct stretch {
  std::vector<std::uint32_t> grants;
};

} // namespace

// I-9, over every stretch that begins at any of the last 60 moments or when
// the user became eligible.
TEST(ring_property, turns_of_eligible_users_differ_by_one_at_most) {
  constexpr std::uint32_t users = 7;
  std::uint64_t checked = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    plain_queue queue{users, seed};
    std::vector<std::deque<stretch>> stretches(users);
    for (int step = 0; step < 3000; ++step) {
      if (queue.choose(3) != 0) {
        if (queue.disturb())
          for (auto& of_user : stretches) // what a turn is has changed
            of_user.clear();
      } else if (const auto v = queue.grant()) {
        for (member_number u = 0; u < users; ++u)
          for (auto& x : stretches[u]) {
            ++x.grants[*v];
            const auto turns = x.grants[u] / queue.of(u).limits.allocation;
            ASSERT_LE(x.grants[*v],
                      queue.of(*v).limits.allocation * (turns + 1))
              << "seed " << seed << " step " << step << ": user " << *v
              << " overtook user " << u;
            ++checked;
          }
      }
      for (member_number u = 0; u < users; ++u) {
        if (!queue.eligible(u)) {
          stretches[u].clear();
          continue;
        }
        if (stretches[u].size() > 60) // keep the longest one
          stretches[u].erase(stretches[u].begin() + 1);
        stretches[u].push_back({std::vector<std::uint32_t>(users)});
      }
    }
  }
  EXPECT_GT(checked, 200'000u);
}

TEST(ring_property, nobody_eligible_waits_more_than_two_turns) {
  constexpr std::uint32_t users = 9;
  for (std::uint64_t seed = 100; seed < 120; ++seed) {
    plain_queue queue{users, seed};
    std::vector<std::uint32_t> waited(users);
    for (int step = 0; step < 5000; ++step) {
      if (queue.choose(3) != 0) {
        if (queue.disturb())
          std::fill(waited.begin(), waited.end(), 0);
      } else if (const auto v = queue.grant()) {
        std::uint32_t turn = 0;
        for (member_number u = 0; u < users; ++u)
          turn += queue.of(u).limits.allocation;
        for (member_number u = 0; u < users; ++u)
          waited[u] = u == *v ? 0 : waited[u] + 1;
        for (member_number u = 0; u < users; ++u)
          ASSERT_LE(waited[u], 2 * turn) << "seed " << seed << " user " << u;
      }
      for (member_number u = 0; u < users; ++u)
        if (!queue.eligible(u))
          waited[u] = 0;
    }
  }
}

// A taker of small items and one of any size draw at the same time: the users
// who have both kinds stay within a turn of each other all the same.
TEST(ring_property, fairness_holds_across_takers_of_different_sizes) {
  constexpr std::uint32_t users = 6;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto choose = seeded(seed);
    rules::ring ring;
    ring.settle_order();
    ring.insert_class(0); // 0 small, 1 any
    const auto any = ring.open_view({}, 1);
    const auto small = ring.open_view({}, 0);
    std::vector<std::uint32_t> grants(users);
    for (member_number m = 0; m < users; ++m)
      ring.join(m, std::to_string(m), {});
    // In another order per class, or the lists could not differ.
    for (std::uint32_t i = 0; i < users; ++i) {
      const auto m = (i * 5 + static_cast<std::uint32_t>(seed)) % users;
      ring.change_ready(m, {0, 1, 1000});
    }
    for (member_number m = 0; m < users; ++m)
      ring.change_ready(m, {0, 0, 1000});
    for (int step = 0; step < 500; ++step) {
      const auto what = ring.next(choose(3) == 0 ? small : any);
      ASSERT_TRUE(what);
      ++grants[what->member];
      const auto [low, high] =
        std::minmax_element(grants.begin(), grants.end());
      ASSERT_LE(*high - *low, 2u) << "seed " << seed << " step " << step;
    }
  }
}

} // namespace depositd::testing
