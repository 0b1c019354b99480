// Names of tests begin with the rows of the case table that they stand for.

#include "messages/values/estimates.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

namespace depositd {

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;
constexpr auto all_bytes = std::numeric_limits<std::uint64_t>::max();

const estimate_rules by_size{.unknown_penalty = 10,
                             .sizes = {{10 * gib, 5}, {100 * gib, 20}}};

} // namespace

TEST(first_priorities, J30_let_small_deposits_overtake_bulk_loads) {
  const std::map<std::uint64_t, int> expected = {
    {0, 5},     {1, 5},      {2, 11},      {3, 15},      {5, 21},
    {10, 28},   {25, 37},    {50, 44},     {100, 51},    {500, 67},
    {1000, 74}, {5'000, 90}, {10'000, 97}, {12'089, 99}, {all_bytes, 99}};
  for (const auto& [jobs, priority] : expected)
    EXPECT_EQ(first_priority(jobs, {}), priority) << jobs;
  EXPECT_EQ(first_priority(12'088, {}), 98);
}

TEST(first_priorities, are_those_of_the_collection_if_it_has_one) {
  EXPECT_EQ(first_priority(10'000, 2), 2);
  EXPECT_EQ(first_priority(1, 200), 99);
}

TEST(estimates, S01_of_unknown_size_wait_longer_once) {
  const measured_sizes nothing{.unknown = 3};
  const auto first = estimate(by_size, 5, nothing);
  EXPECT_EQ(first, (job_estimate{unknown_space, false, 15}));
  EXPECT_EQ(estimate(by_size, 5, nothing), first) << "after a requeue, too";
}

TEST(estimates, S02_of_empty_files_are_no_unknown_size) {
  EXPECT_EQ(estimate(by_size, 5, {.bytes = 0, .known = 2}),
            (job_estimate{0, false, 5}));
}

TEST(estimates, J22_never_need_three_digits) {
  EXPECT_EQ(estimate(by_size, 95, {.unknown = 1}).priority, 99);
  EXPECT_EQ(measured(by_size, 99, 200 * gib).priority, 99);
}

TEST(estimates, of_large_jobs_wait_longer) {
  EXPECT_EQ(measured(by_size, 5, 10 * gib - 1).priority, 5);
  EXPECT_EQ(measured(by_size, 5, 10 * gib).priority, 10);
  EXPECT_EQ(measured(by_size, 5, 100 * gib).priority, 25) << "not both";
}

TEST(estimates, of_a_mixture_are_what_is_known_at_least) {
  EXPECT_EQ(estimate(by_size, 5, {.bytes = 7, .known = 1, .unknown = 1}),
            (job_estimate{7, true, 5}));
}

TEST(estimates, S11_are_corrected_by_what_was_there) {
  EXPECT_EQ(measured(by_size, 5, 12), (job_estimate{12, false, 5}));
  EXPECT_GT(measured(by_size, 5, all_bytes).space_needed, 0) << "no wrap";
}

TEST(provision, S04_lets_in_what_stays_under_the_threshold) {
  const provision_rules by{.used_percent_max = 80};
  const disk_space disk{.total = 100 * gib, .free = 30 * gib};
  EXPECT_TRUE(has_room(by, disk, 0, 9 * gib)) << "79 %";
  EXPECT_TRUE(has_room(by, disk, 0, 10 * gib)) << "80 %";
  EXPECT_FALSE(has_room(by, disk, 0, 11 * gib)) << "81 %";
}

TEST(provision, keeps_what_must_stay_free) {
  const provision_rules by{.free_min = 5 * gib};
  const disk_space disk{.total = 100 * gib, .free = 30 * gib};
  EXPECT_TRUE(has_room(by, disk, 0, 25 * gib));
  EXPECT_FALSE(has_room(by, disk, 0, 25 * gib + 1));
  EXPECT_FALSE(has_room(by, disk, gib, 25 * gib)) << "another was let in";
  EXPECT_FALSE(
    has_room(by, {.total = 100 * gib, .free = gib}, 0, unknown_space));
  EXPECT_TRUE(has_room(by, disk, 0, unknown_space));
  EXPECT_FALSE(
    has_room(by, disk, all_bytes, std::numeric_limits<std::int64_t>::max()));
}

} // namespace depositd
