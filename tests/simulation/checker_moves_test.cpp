// Moved queues: histories that are right, and each way to be wrong.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

class moved : public ::testing::Test {
protected:
  tale t;

  /// To another shard, of what is there now.
  void want(item_id id_last, move_status status = move_status::in_progress) {
    if (status == move_status::in_progress)
      t.add(move_wanted{"q", "r"});
    move_changed x;
    x.reference = "m";
    x.from = "q";
    x.to = "r";
    x.id_last = id_last;
    x.status = status;
    t.write("", x);
  }

  void leave(item_id id, const std::string& to = "move/r") {
    t.write("ann", item_moved{id, "q", to, t.now_us});
  }

  void arrive(item_id of, item_id as) {
    item_enqueued x;
    x.id = as;
    x.queue = "r";
    x.body = "body-" + std::to_string(of);
    t.write("ann", x);
  }

  void end(item_id id, ending how) {
    item_finished x;
    x.id = id;
    x.queue = "move/r";
    x.how = how;
    t.write("ann", x);
  }

  std::set<std::string> wrong() const {
    findings found;
    check_moves(t.told, found);
    check_nothing_invented(t.told, found);
    check_unanswered(t.told, found);
    std::set<std::string> out;
    for (const auto& x : found)
      out.insert(x.invariant + ' ' + x.what);
    return out;
  }

  /// Some finding of M-1 has these words.
  bool says(const std::string& words) const {
    for (const auto& x : wrong())
      if (x.starts_with("M-1") && x.find(words) != std::string::npos)
        return true;
    return false;
  }
};

TEST_F(moved, queues_are_right_if_everything_arrives_in_order) {
  const auto one = t.deposit("ann");
  const auto two = t.deposit("ann");
  want(two);
  t.add(move_promised{"m"});
  leave(one);
  leave(two);
  arrive(one, 101);
  arrive(two, 102);
  end(one, ending::purged);
  end(two, ending::purged);
  want(two, move_status::complete);
  EXPECT_EQ(wrong(), std::set<std::string>{});
}

/// The next move takes it on before the outbox of the last one is emptied.
TEST_F(moved, items_may_leave_again_at_once) {
  const auto one = t.deposit("ann");
  want(one);
  leave(one);
  arrive(one, 101);
  want(one, move_status::complete);
  t.add(move_wanted{"r", "q"});
  move_changed back;
  back.reference = "n";
  back.from = "r";
  back.to = "q";
  back.id_last = 101;
  t.write("", back);
  t.write("ann", item_moved{101, "r", "move/q", t.now_us});
  end(one, ending::purged);
  EXPECT_TRUE(says("body-1 never arrived"));
  EXPECT_FALSE(says("ends before it arrived"));
}

TEST_F(moved, items_may_not_get_lost) {
  const auto one = t.deposit("ann");
  want(one);
  leave(one);
  end(one, ending::purged);
  want(one, move_status::complete);
  EXPECT_TRUE(says("ends before it arrived"));
  EXPECT_TRUE(says("never arrived"));
}

TEST_F(moved, items_may_not_arrive_twice) {
  const auto one = t.deposit("ann");
  want(one);
  leave(one);
  arrive(one, 101);
  arrive(one, 102);
  EXPECT_TRUE(says("had not left"));
  EXPECT_TRUE(says("never ended"));
}

TEST_F(moved, items_may_not_arrive_without_having_left) {
  const auto one = t.deposit("ann");
  want(one);
  arrive(one, 101);
  EXPECT_TRUE(says("had not left"));
}

TEST_F(moved, items_keep_their_order) {
  const auto one = t.deposit("ann");
  const auto two = t.deposit("ann");
  want(two);
  leave(one);
  leave(two);
  arrive(two, 101);
  arrive(one, 102);
  EXPECT_TRUE(says("overtook"));
}

TEST_F(moved, items_are_handed_to_nobody_on_their_way) {
  const auto one = t.deposit("ann");
  want(one);
  leave(one);
  t.write("ann", t.a_claim(one, 7));
  EXPECT_TRUE(says("claimed on its way"));
}

TEST_F(moved, items_are_those_that_were_there) {
  const auto one = t.deposit("ann");
  want(one);
  const auto late = t.deposit("ann");
  leave(late);
  EXPECT_TRUE(says("nobody wanted"));
}

TEST_F(moved, items_are_moved_by_who_wants_it_only) {
  const auto one = t.deposit("ann");
  leave(one, "r");
  EXPECT_TRUE(says("nobody wanted"));
}

TEST_F(moved, queues_are_promised_when_that_is_durable) {
  t.add(move_wanted{"q", "r"});
  t.add(move_promised{"m"});
  EXPECT_TRUE(says("promised too early"));
}

} // namespace

} // namespace depositd::simulation
