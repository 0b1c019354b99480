// The judge of letters that are sent back is judged.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

class letters_back : public ::testing::Test {
protected:
  void come(std::int64_t offset) {
    produced x{"in/0", offset, 0, true, ""};
    x.returned = true;
    t.add(x);
  }

  std::size_t wrong() const {
    findings found;
    check_letters(t.told, found);
    return found.size();
  }

  tale t;
};

TEST_F(letters_back, are_in_their_topic_when_it_is_said) {
  t.add(letters_wanted{1, 2});
  come(0);
  come(1);
  t.add(letters_returned{1});
  EXPECT_EQ(wrong(), 0u);
}

TEST_F(letters_back, all_of_them_are) {
  come(0);
  t.add(letters_wanted{1, 2});
  come(1);
  t.add(letters_returned{1});
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(letters_back, may_not_be_where_nobody_said_so) {
  t.add(letters_wanted{1, 1});
  EXPECT_EQ(wrong(), 0u);
}

} // namespace

} // namespace depositd::simulation
