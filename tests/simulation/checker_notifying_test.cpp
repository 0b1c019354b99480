// The judge of what depositors are told is judged.

#include "messages/values/operations.hpp"
#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

constexpr item_id a_deposit = 1;
constexpr const char* deposits = "metadata";

class notifying : public ::testing::Test {
protected:
  void SetUp() override {
    t.write("", queue_changed{notify_queue, outbox_queue_defaults()});
    item_enqueued x;
    x.id = a_deposit;
    x.queue = deposits;
    t.write("ann", x);
  }

  void claim(const char* queue, claim_token token,
             const char* processor = "sp") {
    auto x = t.a_claim(a_deposit, token);
    x.queue = queue;
    x.processor = processor;
    t.write("ann", x);
  }

  void say(claim_token token, verdict what, bool tell) {
    t.add(reported{1, a_deposit, token, what, {}, tell});
  }

  void end(const char* queue, ending how = ending::done) {
    auto x = t.an_end(a_deposit);
    x.queue = queue;
    x.how = how;
    t.write("ann", x);
  }

  void go_on() {
    t.write("ann", item_moved{a_deposit, deposits, notify_queue, t.now_us});
  }

  void tell_end() {
    submission_ended x;
    x.id = a_deposit;
    x.queue = deposits;
    t.write("ann", x);
  }

  names wrong() const {
    findings found;
    check_notifying(t.told, found);
    names out;
    for (const auto& x : found)
      out.insert(x.what);
    return out;
  }

  tale t;
};

TEST_F(notifying, goes_on_with_the_end_and_ends_when_it_was_told) {
  claim(deposits, 1);
  say(1, verdict::done, true);
  go_on();
  tell_end();
  claim(notify_queue, 2);
  say(2, verdict::done, false);
  end(notify_queue);
  EXPECT_EQ(wrong(), names{});
}

TEST_F(notifying, is_not_asked_for_where_nobody_is_to_be_told) {
  claim(deposits, 1);
  say(1, verdict::done, false);
  end(deposits);
  EXPECT_EQ(wrong(), names{});
}

TEST_F(notifying, is_left_to_a_door_that_processes_at_once) {
  claim(deposits, 1, source_v2.name);
  say(0, verdict::done, false);
  end(deposits);
  EXPECT_EQ(wrong(), names{});
}

TEST_F(notifying, is_not_left_to_a_door_whose_time_is_over) {
  claim(deposits, 1, source_v2.name);
  claim(deposits, 2);
  end(deposits, ending::failed);
  EXPECT_EQ(wrong(), names{"item 1 ended, and its depositor will not be told"});
}

TEST_F(notifying, is_missed_where_somebody_is) {
  claim(deposits, 1);
  say(1, verdict::done, true);
  end(deposits);
  EXPECT_EQ(wrong(), names{"item 1 ended, and its depositor will not be told"});
}

TEST_F(notifying, is_missed_where_the_last_attempt_was_lost) {
  claim(deposits, 1);
  end(deposits, ending::failed);
  EXPECT_EQ(wrong(), names{"item 1 ended, and its depositor will not be told"});
}

/// Where no mail is sent.
class calling_back : public notifying {
protected:
  void SetUp() override {
    notifying::SetUp();
    t.told.with_mail = false;
  }

  /// And so long ago that everybody has heard of it.
  void set(const char* callback) {
    t.write("", contact_changed{"ann", "", callback});
    t.now_us += 10'000'000;
  }

  void end_untold() {
    claim(deposits, 1);
    say(1, verdict::done, true);
    end(deposits);
  }
};

TEST_F(calling_back, is_for_those_who_have_a_callback) {
  end_untold();
  EXPECT_EQ(wrong(), names{});
}

TEST_F(calling_back, is_missed_by_who_has_one) {
  set("https://a/");
  end_untold();
  EXPECT_EQ(wrong(), names{"item 1 ended, and its depositor will not be told"});
}

TEST_F(calling_back, is_not_for_who_has_none_any_more) {
  set("https://a/");
  set("");
  end_untold();
  EXPECT_EQ(wrong(), names{});
}

TEST_F(calling_back, may_be_heard_of_a_little_later) {
  t.write("", contact_changed{"ann", "", "https://a/"});
  end_untold();
  EXPECT_EQ(wrong(), names{});
}

TEST_F(notifying, is_not_let_go_untold) {
  claim(deposits, 1);
  go_on();
  tell_end();
  claim(notify_queue, 2);
  say(2, verdict::failed, false);
  end(notify_queue, ending::failed);
  EXPECT_EQ(wrong(),
            names{"item 1 was let go, and its depositor was not told"});
}

TEST_F(notifying, does_not_go_on_without_the_end) {
  claim(deposits, 1);
  go_on();
  claim(notify_queue, 2);
  EXPECT_EQ(wrong(), names{"item 1 went on without its end"});
}

TEST_F(notifying, does_not_stay_where_the_deposit_ends) {
  claim(deposits, 1);
  tell_end();
  EXPECT_EQ(wrong(), names{"item 1 ended without going on"});
}

} // namespace

} // namespace depositd::simulation
