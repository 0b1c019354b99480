// The judge of engines that go on from a backup is judged.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

class brought_back_engines : public ::testing::Test {
protected:
  names wrong() const {
    findings found;
    check_backups(t.told, found);
    names out;
    for (const auto& x : found)
      out.insert(x.what);
    return out;
  }

  tale t;
};

TEST_F(brought_back_engines, give_nothing_that_was_given_since) {
  t.deposit("ann");
  t.add(brought_back{5, 2});
  t.epoch = 3;
  t.enqueue(6, "ann", "body-6");
  EXPECT_EQ(wrong(), names{});
}

TEST_F(brought_back_engines, give_no_number_again) {
  t.add(brought_back{5, 2});
  t.epoch = 3;
  t.enqueue(5, "ann", "body-5");
  EXPECT_EQ(wrong(), names{"item 5 was given before"});
}

TEST_F(brought_back_engines, write_under_no_epoch_again) {
  t.add(brought_back{5, 2});
  t.epoch = 2;
  t.enqueue(6, "ann", "body-6");
  EXPECT_EQ(wrong(), names{"epoch 2 was given before"});
}

} // namespace

} // namespace depositd::simulation
