// Wrong histories of several engines, and good ones.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

/// One engine that has shard 0 for 5 s.
tale of_engine_a() {
  tale out;
  out.told.with_leases = true;
  out.add(leased{"a", 0, 1, out.now_us + 5'000'000});
  out.deposit("u", false);
  out.flush();
  return out;
}

group_written a_group(shard_number shard, epoch_number epoch) {
  return {shard, epoch, 1, {}};
}

TEST(lease_checker, finds_nothing_in_a_planned_hand_over) {
  auto x = of_engine_a();
  x.add(given_back{"a", 0, 1});
  x.now_us += 1;
  x.add(leased{"b", 0, 2, x.now_us + 5'000'000});
  x.epoch = 2;
  x.deposit("u", false);
  x.flush();
  EXPECT_EQ(x.broken(), names{});
}

TEST(lease_checker, sees_a_write_after_the_lease_was_given_back) {
  auto x = of_engine_a();
  x.add(given_back{"a", 0, 1});
  x.add(a_group(0, 1));
  EXPECT_EQ(x.broken(), names{"L-1"});
}

TEST(lease_checker, sees_a_write_after_the_lease_ended) {
  auto x = of_engine_a();
  x.now_us += 5'000'001;
  x.add(a_group(0, 1));
  EXPECT_EQ(x.broken(), names{"L-1"});
}

TEST(lease_checker, lets_pass_what_a_renewal_covers) {
  auto x = of_engine_a();
  x.now_us += 4'000'000;
  x.add(leased{"a", 0, 1, x.now_us + 5'000'000});
  x.now_us += 4'000'000;
  x.add(a_group(0, 1));
  EXPECT_EQ(x.broken(), names{});
}

TEST(lease_checker, lets_pass_the_last_words_of_who_was_stopped) {
  auto x = of_engine_a();
  x.now_us += 8'000'000;
  x.add(resumed{"a"});
  x.add(a_group(0, 1));
  EXPECT_EQ(x.broken(), names{});
  x.now_us += 1;
  x.add(a_group(0, 1));
  EXPECT_EQ(x.broken(), names{"L-1"});
}

TEST(lease_checker, sees_a_zombie_write_after_its_successor_began) {
  auto x = of_engine_a();
  x.now_us += 8'000'000;
  x.add(leased{"b", 0, 2, x.now_us + 5'000'000});
  x.add(resumed{"a"});
  EXPECT_EQ(x.broken(), names{});
  x.add(a_group(0, 1));
  EXPECT_EQ(x.broken(), names{"L-1"});
}

TEST(lease_checker, sees_two_engines_have_one_shard) {
  auto x = of_engine_a();
  x.add(leased{"b", 0, 2, x.now_us + 5'000'000});
  EXPECT_EQ(x.broken(), names{"L-1"});
}

TEST(lease_checker, sees_a_write_without_any_lease) {
  auto x = of_engine_a();
  x.add(a_group(1, 1));
  EXPECT_EQ(x.broken(), names{"L-1"});
}

// -- settings of other shards -------------------------------------------------

/// A change that shard 0 has taken, of which shard 1 may know.
class spread_change : public ::testing::Test {
protected:
  void SetUp() override {
    change.user = "u";
    change.held = true;
    x.add(attempted{"body", "q", "u"});
    item_enqueued item;
    item.id = ids_begin(1) + 1;
    item.queue = "q";
    item.body = "body";
    in_shard_1("u", item);
    x.add(proposed{1, {change}});
    x.write("", change);
  }

  void in_shard_1(const std::string& user, event what) {
    x.add(journalled{1, 1, ++seq, user, std::move(what)});
  }

  void claim() {
    item_claimed claim;
    claim.id = ids_begin(1) + 1;
    claim.queue = "q";
    claim.token = 1;
    claim.attempt = 1;
    claim.local = true;
    in_shard_1("u", claim);
  }

  tale x;
  user_eligibility_changed change;
  sequence seq = 0;
};

TEST_F(spread_change, is_no_matter_before_the_operator_is_told) {
  claim();
  EXPECT_EQ(x.broken(), names{});
}

TEST_F(spread_change, holds_everywhere_once_the_operator_is_told) {
  x.add(in_force{1});
  claim();
  EXPECT_EQ(x.broken(), names{"C-1"});
}

TEST_F(spread_change, may_be_followed_by_a_later_one) {
  in_shard_1("", change);
  x.add(in_force{1});
  change.held = false;
  x.write("", change);
  in_shard_1("", change);
  claim();
  EXPECT_EQ(x.broken(), names{});
}

TEST_F(spread_change, may_not_be_undone_by_an_earlier_one) {
  auto before = change;
  change.held = false;
  x.add(proposed{2, {change}});
  x.write("", change);
  in_shard_1("", change);
  x.add(in_force{2});
  before.prohibited = true; // else it would be seen as a hold, too
  EXPECT_EQ(x.broken(), names{});
  x.add(proposed{3, {before}});
  x.write("", before);
  x.add(in_force{3});
  claim();
  EXPECT_EQ(x.broken(), names{"C-1"});
}

} // namespace

} // namespace depositd::simulation
