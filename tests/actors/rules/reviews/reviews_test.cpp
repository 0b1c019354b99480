#include "actors/rules/reviews/reviews.hpp"

#include <gtest/gtest.h>

namespace depositd::rules {
namespace {

constexpr micros interval = 900;

job_row a_failure(item_id id, micros at, const std::string& note,
                  const std::string& stage = "download") {
  job_row out;
  out.id = id;
  out.info.pipeline = "merritt";
  out.queue = "merritt." + stage;
  out.status.state = job_state::failed;
  out.status.needs_review = true;
  out.status.changed_us = at;
  out.status.note = note;
  return out;
}

TEST(reviews, of_one_cause_are_told_together) {
  reviews all{interval, 1'000};
  all.see(a_failure(1, 1'000, "file a/b.tif of 17 bytes is not there"));
  all.see(a_failure(2, 1'001, "file c/d.tif of 3 bytes is not there"));
  all.see(a_failure(3, 1'002, "file c/d.tif of 3 bytes is not there", "store"));
  all.see(a_failure(4, 1'003, "the disk is full"));
  const auto due = all.due(1'010);
  ASSERT_EQ(due.size(), 3u);
  const review_cause cause{"merritt", "download",
                           "file # of # bytes is not there"};
  EXPECT_EQ(due[0].cause, cause);
  EXPECT_EQ(due[0].count, 2u);
  EXPECT_EQ(due[0].first, (std::vector<item_id>{1, 2}));
  EXPECT_EQ(due[0].note, "file a/b.tif of 17 bytes is not there");
  EXPECT_NE(due[0].id, due[1].id);
}

TEST(reviews, never_tell_half_a_character) {
  reviews all{interval, 1'000};
  std::string note = "x";
  while (note.size() < 2'000)
    note += "\u20ac";
  all.see(a_failure(1, 1'000, note));
  const auto due = all.due(1'010);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].note, note.substr(0, 1'000)); // 1 + 333 characters
  EXPECT_EQ(due[0].cause.reason, note.substr(0, 199));
}

TEST(reviews, jobs_that_stay_too_long_are_told_once_until_they_move) {
  reviews all{interval, 1'000};
  auto old = a_failure(7, 500, "");
  old.user = "ann";
  old.status.state = job_state::storing;
  old.status.needs_review = false;
  all.see_old({old});
  const auto due = all.due(1'000);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].cause, (review_cause{"merritt", "download", too_old}));
  EXPECT_EQ(due[0].first, std::vector<item_id>{7});
  EXPECT_EQ(due[0].note, "job 7 of ann is storing");
  all.told(due[0].cause, 1'000);
  all.see_old({old});
  EXPECT_TRUE(all.due(2'000).empty()) << "it is known";
  old.status.changed_us = 1'500;
  all.see_old({old});
  EXPECT_EQ(all.due(2'500).size(), 1u) << "it has moved, and stays again";
}

TEST(reviews, only_what_is_in_a_stage_can_be_too_old) {
  auto job = a_failure(7, 500, "");
  for (const auto& [state, text] : words_of<job_state>) {
    job.status.state = state;
    const bool rests = state == job_state::held || state == job_state::completed
                       || state == job_state::failed
                       || state == job_state::deleted;
    EXPECT_EQ(is_too_old(job, 1'500, 1'000), !rests) << text;
    EXPECT_FALSE(is_too_old(job, 1'499, 1'000)) << text;
    EXPECT_FALSE(is_too_old(job, 9'999, 0)) << "nobody wants to know";
  }
}

TEST(reviews, of_one_cause_are_told_once_in_a_while) {
  reviews all{interval, 1'000};
  all.see(a_failure(1, 1'000, "x"));
  const auto cause = all.due(1'000).at(0).cause;
  all.told(cause, 1'000);
  EXPECT_TRUE(all.due(1'001).empty());
  all.see(a_failure(2, 1'100, "x"));
  all.see(a_failure(3, 1'200, "x"));
  EXPECT_TRUE(all.due(1'899).empty());
  const auto due = all.due(1'900);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].count, 2u);
  EXPECT_EQ(due[0].first, (std::vector<item_id>{2, 3}));
}

TEST(reviews, that_nobody_took_are_due_again) {
  reviews all{interval, 1'000};
  all.see(a_failure(1, 1'000, "x"));
  const auto first = all.due(1'000);
  EXPECT_EQ(all.due(1'001), first) << "with the same id";
}

TEST(reviews, count_each_change_once) {
  reviews all{interval, 1'000};
  for (int i = 0; i < 3; ++i)
    all.see(a_failure(1, 1'000, "x"));
  all.see(a_failure(2, 999, "x"));
  auto mended = a_failure(3, 1'500, "x");
  mended.status.needs_review = false;
  all.see(mended);
  EXPECT_EQ(all.due(1'600).at(0).count, 1u);
  all.see(a_failure(1, 1'700, "x")); // failed again
  EXPECT_EQ(all.due(1'800).at(0).count, 2u);
  all.seen_before(1'750);
  all.see(a_failure(1, 1'700, "x"));
  EXPECT_EQ(all.due(1'800).at(0).count, 2u);
}

TEST(reviews, are_bounded) {
  reviews all{interval, 1};
  const auto letters = [](std::size_t n) {
    std::string out;
    for (; n > 0; n /= 26)
      out += static_cast<char>('a' + n % 26);
    return out;
  };
  const auto many = review_causes_max + 50;
  for (std::size_t i = 1; i <= many; ++i)
    all.see(a_failure(i, 1'000, letters(i)));
  const auto due = all.due(1'000);
  EXPECT_EQ(due.size(), review_causes_max + 1);
  std::uint64_t count = 0;
  for (const auto& x : due) {
    count += x.count;
    EXPECT_LE(x.first.size(), review_ids_max);
  }
  EXPECT_EQ(count, many);
}

} // namespace
} // namespace depositd::rules
