// The judge of what administrators are told is judged.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

class reviews_of_jobs : public ::testing::Test {
protected:
  reviews_of_jobs() {
    t.told.reviews_every_us = 60'000'000;
  }

  void move(item_id id, bool needs_review) {
    job_moved x;
    x.id = id;
    x.queue = x.place.queue = "p.first";
    x.status.needs_review = needs_review;
    t.write("u", x);
  }

  void tell(std::vector<item_id> jobs, std::uint64_t more = 0,
            bool heard = true, std::uint32_t teller = 1) {
    review_told x;
    x.teller = teller;
    x.pipeline = "p";
    x.stage = "first";
    x.count = jobs.size() + more;
    x.jobs = std::move(jobs);
    x.heard = heard;
    t.add(std::move(x));
  }

  void pass(micros seconds) {
    t.now_us += seconds * 1'000'000;
  }

  std::size_t wrong() const {
    findings found;
    check_reviews(t.told, found);
    return found.size();
  }

  tale t;
};

TEST_F(reviews_of_jobs, are_told) {
  move(1, true);
  tell({1});
  t.add(reviews_awaited{});
  EXPECT_EQ(wrong(), 0u);
  EXPECT_FALSE(any_review_untold(t.told));
}

TEST_F(reviews_of_jobs, are_missed_in_the_end) {
  move(1, true);
  EXPECT_EQ(wrong(), 0u);
  EXPECT_TRUE(any_review_untold(t.told));
  t.add(reviews_awaited{});
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(reviews_of_jobs, are_told_anew_when_they_fail_again) {
  move(1, true);
  tell({1});
  move(1, false);
  move(1, true);
  t.add(reviews_awaited{});
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(reviews_of_jobs, are_not_missed_of_what_goes_on) {
  move(1, true);
  move(1, false);
  t.add(reviews_awaited{});
  EXPECT_EQ(wrong(), 0u);
}

TEST_F(reviews_of_jobs, that_are_many_are_not_all_named) {
  move(1, true);
  move(2, true);
  tell({1}, 1);
  t.add(reviews_awaited{});
  EXPECT_EQ(wrong(), 0u);
}

TEST_F(reviews_of_jobs, are_not_told_of_what_needs_none) {
  move(1, false);
  tell({1});
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(reviews_of_jobs, are_told_once_in_a_while_by_each_teller) {
  move(1, true);
  tell({1});
  pass(59);
  tell({1}, 0, true, 2);
  EXPECT_EQ(wrong(), 0u);
  tell({1});
  EXPECT_EQ(wrong(), 1u);
  pass(60);
  tell({1});
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(reviews_of_jobs, are_told_again_if_nobody_says_that_they_came) {
  move(1, true);
  tell({1}, 0, false);
  tell({1});
  EXPECT_EQ(wrong(), 0u);
}

} // namespace

} // namespace depositd::simulation
