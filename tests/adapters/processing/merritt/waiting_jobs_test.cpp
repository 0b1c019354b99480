// Whose turn it is when the disk has room again.

#include "adapters/processing/merritt/waiting_jobs.hpp"

#include <gtest/gtest.h>

#include <set>

namespace depositd::merritt {

namespace {

using std::chrono::seconds;

class waiting : public ::testing::Test {
protected:
  void add(item_id id, std::uint64_t bytes, std::uint8_t priority = 5,
           const std::string& user = "ann") {
    EXPECT_TRUE(jobs.add({id, priority, user, "m.provision", bytes}));
  }

  std::set<item_id> next(std::uint64_t free, seconds at = seconds{100}) {
    std::set<item_id> out;
    for (const auto& x :
         jobs.next({}, {1'000, free}, promised, waiting_jobs::time_point{at})) {
      EXPECT_EQ(x.queue, "m.provision");
      out.insert(x.ids.begin(), x.ids.end());
    }
    return out;
  }

  using ids = std::set<item_id>;

  waiting_jobs jobs;
  std::uint64_t promised = 0;
};

TEST_F(waiting, S04_all_are_looked_at_and_each_takes_its_room) {
  add(1, 600);
  add(2, 300);
  add(3, 300);
  add(4, 50);
  EXPECT_FALSE(jobs.may_fit({}, {1'000, 49}, 0));
  EXPECT_FALSE(jobs.may_fit({}, {1'000, 100}, 51));
  EXPECT_TRUE(jobs.may_fit({}, {1'000, 50}, 0));
  EXPECT_EQ(next(400), (ids{2, 4}));
}

TEST_F(waiting, priority_decides_before_the_number) {
  add(1, 100, 9);
  add(2, 100, 3, "bob");
  EXPECT_EQ(next(150), ids{2});
}

TEST_F(waiting, what_was_promised_to_others_is_taken) {
  add(1, 100);
  promised = 950;
  EXPECT_EQ(next(1'000), ids{});
  promised = 900;
  EXPECT_EQ(next(1'000), ids{1});
}

TEST_F(waiting, who_is_on_its_way_keeps_its_room) {
  add(1, 100);
  EXPECT_EQ(next(150), ids{1});
  add(2, 100);
  EXPECT_EQ(next(150, seconds{101}), ids{});
  jobs.remove(1);
  EXPECT_EQ(next(150, seconds{102}), ids{2});
}

TEST_F(waiting, who_does_not_come_is_called_three_times) {
  add(1, 100);
  add(2, 100);
  EXPECT_EQ(next(100, seconds{100}), ids{1});
  EXPECT_EQ(next(100, seconds{104}), ids{});
  EXPECT_EQ(next(100, seconds{105}), ids{1});
  EXPECT_EQ(next(100, seconds{110}), ids{1});
  EXPECT_EQ(next(100, seconds{115}), ids{2});
  jobs.remove(2);
  EXPECT_TRUE(jobs.empty());
}

TEST_F(waiting, a_job_that_comes_again_waits_once) {
  add(1, 100);
  add(1, 20, 7);
  EXPECT_EQ(next(50), ids{1});
  jobs.remove(1);
  jobs.remove(1);
  EXPECT_TRUE(jobs.empty());
}

} // namespace

} // namespace depositd::merritt
