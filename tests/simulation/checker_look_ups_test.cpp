// The judge of what depositors are told is judged.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

/// A submission that waits.
class look_ups : public ::testing::Test {
protected:
  look_ups() {
    x.add(processor_joined{1, "q", {}, 2});
    id = x.deposit("a");
    submission_received received;
    received.id = id;
    received.queue = "q";
    x.write("a", received);
  }

  void claim() {
    x.hand_out(id, 1, "a");
  }

  void end() {
    x.finish(id, 1, "a");
    x.flush();
  }

  std::size_t now() const {
    return x.told.entries.size();
  }

  tale x;
  item_id id = 0;
};

TEST_F(look_ups, tell_what_was_so_when_asked_or_answered) {
  const auto asked = now();
  x.add(looked_up{id, asked, submission_status::queued});
  claim();
  x.add(looked_up{id, asked, submission_status::queued});
  x.add(looked_up{id, asked, submission_status::in_process});
  x.add(looked_up{id + 1, now(), {}});
  end();
  x.add(looked_up{id, now(), submission_status::completed});
  EXPECT_EQ(x.broken(), names{});
}

TEST_F(look_ups, tell_nothing_that_is_not_so_any_more) {
  claim();
  end();
  x.add(looked_up{id, now(), submission_status::in_process});
  EXPECT_EQ(x.broken(), names{"A-1"});
}

TEST_F(look_ups, tell_nothing_that_is_not_so_yet) {
  x.add(looked_up{id, now(), submission_status::completed});
  claim();
  end();
  EXPECT_EQ(x.broken(), names{"A-1"});
}

TEST_F(look_ups, find_what_there_is) {
  x.add(looked_up{id, now(), {}});
  claim();
  end();
  EXPECT_EQ(x.broken(), names{"A-1"});
}

TEST_F(look_ups, are_not_judged_where_it_was_moved_to) {
  x.write("a", item_moved{id, "q", "r", 1});
  x.add(looked_up{id, now(), submission_status::completed});
  EXPECT_FALSE(x.broken().contains("A-1"));
}

} // namespace

} // namespace depositd::simulation
