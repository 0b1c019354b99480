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

/// What somebody was told of the submissions of "a", or of the items of "q".
class lists : public look_ups {
protected:
  using rows = std::vector<std::pair<item_id, std::string>>;

  static constexpr std::uint32_t many = 100;

  listed told(listing what, std::size_t asked_at, rows shown) const {
    return {what,
            what == listing::items ? "q" : "a",
            asked_at,
            many,
            false,
            0,
            std::move(shown)};
  }
};

TEST_F(lists, show_all_as_it_stood) {
  x.add(told(listing::items, now(), {{id, "pending"}}));
  const auto asked = now();
  claim();
  x.add(told(listing::items, asked, {{id, "pending"}}));
  x.add(told(listing::submissions, now(), {{id, "in_process"}}));
  end();
  x.add(told(listing::items, now(), {}));
  x.add(told(listing::submissions, now(), {{id, "completed"}}));
  EXPECT_EQ(x.broken(), names{});
}

TEST_F(lists, show_nothing_as_it_was_not) {
  x.add(told(listing::items, now(), {{id, "claimed"}}));
  claim();
  end();
  EXPECT_EQ(x.broken(), names{"A-2"});
}

TEST_F(lists, show_what_there_is) {
  x.add(told(listing::items, now(), {}));
  claim();
  end();
  EXPECT_EQ(x.broken(), names{"A-2"});
}

TEST_F(lists, show_nothing_twice) {
  x.add(told(listing::items, now(), {{id, "pending"}, {id, "pending"}}));
  claim();
  end();
  EXPECT_EQ(x.broken(), names{"A-2"});
}

TEST_F(lists, come_in_the_order_that_was_asked_for) {
  const auto later = x.deposit("a");
  submission_received received;
  received.id = later;
  received.queue = "q";
  x.write("a", received);
  auto backwards
    = told(listing::submissions, now(), {{later, "queued"}, {id, "queued"}});
  backwards.newest_first = true;
  x.add(backwards);
  EXPECT_FALSE(x.broken().contains("A-2"));
  backwards.after = later;
  backwards.rows.erase(backwards.rows.begin());
  x.add(backwards);
  EXPECT_FALSE(x.broken().contains("A-2"));
  backwards.newest_first = false;
  x.add(backwards);
  EXPECT_TRUE(x.broken().contains("A-2"));
}

TEST_F(lists, show_what_is_forgotten_no_more) {
  claim();
  end();
  const auto asked = now();
  x.add(forget_wanted{"a"});
  x.add(told(listing::submissions, now(), {{id, "completed"}}));
  x.add(told(listing::submissions, now(), {}));
  x.add(forgotten{"a", asked + 1});
  x.add(told(listing::submissions, now(), {}));
  EXPECT_EQ(x.broken(), names{});
  x.add(told(listing::submissions, now(), {{id, "completed"}}));
  EXPECT_EQ(x.broken(), names{"A-2"});
}

TEST_F(lists, may_leave_out_what_is_old) {
  x.told.kept_us = 5'000'000;
  claim();
  end();
  const auto over = rows{{id, "completed"}};
  x.add(told(listing::submissions, now(), over));
  x.now_us += 5'000'001;
  x.add(told(listing::submissions, now(), {}));
  x.add(told(listing::submissions, now(), over));
  x.add(looked_up{id, now(), {}});
  EXPECT_EQ(x.broken(), names{});
}

TEST_F(lists, leave_out_nothing_before_it_is_old) {
  x.told.kept_us = 5'000'000;
  claim();
  end();
  x.now_us += 4'000'000;
  x.add(told(listing::submissions, now(), {}));
  EXPECT_EQ(x.broken(), names{"A-2"});
}

TEST_F(lists, leave_out_nothing_that_is_not_over_however_old) {
  x.told.kept_us = 5'000'000;
  x.now_us += 50'000'000;
  x.add(told(listing::submissions, now(), {}));
  claim();
  end();
  EXPECT_EQ(x.broken(), names{"A-2"});
}

} // namespace

} // namespace depositd::simulation
