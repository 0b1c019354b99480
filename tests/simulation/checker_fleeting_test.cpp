// The judge of queues that go is judged.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

class fleeting_queues : public ::testing::Test {
protected:
  void make() {
    t.write("", queue_changed{"q", {}});
  }

  void leave() {
    t.write("", queue_retired{"q", {}});
  }

  names wrong() const {
    findings found;
    check_fleeting(t.told, found);
    names out;
    for (const auto& x : found)
      out.insert(x.what);
    return out;
  }

  tale t;
};

TEST_F(fleeting_queues, go_when_they_are_empty_and_come_again) {
  for (int i = 0; i < 2; ++i) {
    make();
    const auto id = t.deposit("ann");
    t.hand_out(id, 1, "ann");
    t.finish(id, 1, "ann");
    leave();
  }
  EXPECT_EQ(wrong(), names{});
}

TEST_F(fleeting_queues, do_not_go_with_what_is_in_them) {
  make();
  t.deposit("ann");
  leave();
  EXPECT_EQ(wrong(), names{"item 1 was in a queue that went"});
}

TEST_F(fleeting_queues, get_nothing_once_they_have_gone) {
  make();
  leave();
  t.deposit("ann");
  EXPECT_EQ(wrong(), names{"item 1 came into a queue that had gone"});
}

} // namespace

} // namespace depositd::simulation
