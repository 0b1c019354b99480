// Wrong histories of schedulers, and good ones.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

class pulled_tale : public tale {
public:
  /// Queue "q" is fed up to so many.
  explicit pulled_tale(std::uint64_t high) {
    scheduler_changed x;
    x.name = "s";
    x.settings.queue = "q";
    x.settings.high = high;
    add(proposed{1, {x}});
  }

  item_id pull() {
    const auto id = deposit("u", false);
    write("u", record_taken{id, "q", "a", 1, "key-" + std::to_string(id)});
    return id;
  }

  void end(item_id id, claim_token token) {
    hand_out(id, token, "u");
    finish(id, token, "u");
  }
};

TEST(mark_checker, finds_nothing_up_to_the_mark) {
  pulled_tale x{2};
  const auto first = x.pull();
  x.pull();
  x.flush();
  x.end(first, 1);
  x.pull();
  x.flush();
  EXPECT_EQ(x.broken(), names{});
}

TEST(mark_checker, sees_one_above_the_mark) {
  pulled_tale x{2};
  for (int i = 0; i < 3; ++i)
    x.pull();
  x.flush();
  EXPECT_EQ(x.broken(), names{"P-1"});
}

TEST(mark_checker, lets_two_engines_feed_for_a_moment) {
  pulled_tale x{2};
  x.add(leased{"a", 0, 1, x.now_us + 5'000'000});
  x.told.with_leases = true;
  for (int i = 0; i < 4; ++i)
    x.pull();
  x.flush();
  EXPECT_EQ(x.broken(), names{});
  x.pull();
  x.flush();
  EXPECT_EQ(x.broken(), names{"P-1"});
}

TEST(mark_checker, does_not_count_what_others_send) {
  pulled_tale x{1};
  x.pull();
  x.deposit("u");
  x.flush();
  EXPECT_EQ(x.broken(), names{});
}

} // namespace

} // namespace depositd::simulation
