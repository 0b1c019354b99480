// The judge of how long claims last is judged.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

class renewals : public ::testing::Test {
protected:
  void SetUp() override {
    t.told.wall_began_us = wall_began;
    id = t.deposit("ann");
    claim(1, 10);
  }

  void claim(claim_token token, std::uint32_t lasts_ms) {
    auto x = t.a_claim(id, token);
    x.processor = "poller";
    x.deadline_us = in_ms(lasts_ms);
    t.write("ann", x);
  }

  micros in_ms(std::uint32_t ms) const {
    return wall_began + t.now_us + micros{ms} * 1000;
  }

  void want(std::uint32_t lease_ms, bool all = false) {
    t.add(renewal_wanted{1, 0, "q", all,
                         all ? std::vector<item_id>{} : std::vector{id},
                         lease_ms});
  }

  void hear() {
    t.add(renewed_as_wanted{1});
  }

  void extend(micros deadline_us) {
    t.write("ann", claim_renewed{id, "q", 1, deadline_us});
  }

  void release(const std::string& why = "") {
    auto x = t.a_release(id, 1);
    x.reason = why;
    t.write("ann", x);
  }

  names wrong() const {
    findings found;
    check_renewals(t.told, found);
    names out;
    for (const auto& x : found)
      out.insert(x.what);
    return out;
  }

  static constexpr micros wall_began = 1'000'000'000;
  tale t;
  item_id id = 0;
};

TEST_F(renewals, last_as_long_as_was_said) {
  want(20);
  extend(in_ms(20));
  hear();
  t.now_us += 20'000;
  release("claim expired");
  EXPECT_EQ(wrong(), names{});
}

TEST_F(renewals, are_nothing_to_a_claim_that_has_ended_meanwhile) {
  want(20);
  release();
  claim(2, 1);
  hear();
  EXPECT_EQ(wrong(), names{});
}

TEST_F(renewals, are_nothing_to_a_claim_that_lasts_for_ever) {
  extend(never);
  want(20);
  hear();
  EXPECT_EQ(wrong(),
            names{"the claim on item 1 lasts longer, and nobody wanted that"});
}

TEST_F(renewals, are_done_when_that_was_said) {
  want(20);
  hear();
  EXPECT_EQ(wrong(),
            names{"the claim on item 1 was to last, and does not"});
}

TEST_F(renewals, do_not_shorten_a_claim) {
  want(5);
  extend(in_ms(5));
  EXPECT_EQ(wrong(),
            names{"the claim on item 1 ends earlier than was said"});
}

TEST_F(renewals, are_wanted_by_somebody) {
  extend(in_ms(20));
  EXPECT_EQ(wrong(),
            names{"the claim on item 1 lasts longer, and nobody wanted that"});
}

TEST_F(renewals, of_which_the_time_is_not_over_do_not_end) {
  t.now_us += 9'000;
  release("claim expired");
  EXPECT_EQ(wrong(), names{"the claim on item 1 ended before its time"});
}

TEST_F(renewals, that_are_given_back_end) {
  want(0);
  hear();
  EXPECT_EQ(wrong(), names{"the claim on item 1 was to end, and stands"});
}

TEST_F(renewals, that_are_taken_away_end_all_at_once) {
  want(0, true);
  hear();
  EXPECT_EQ(wrong(), names{"the claim on item 1 was to end, and stands"});
}

TEST_F(renewals, that_begin_later_are_not_taken_away) {
  release();
  want(0, true);
  claim(2, 10);
  hear();
  EXPECT_EQ(wrong(), names{});
}

} // namespace

} // namespace depositd::simulation
