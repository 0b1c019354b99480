// Whose deposit is processed next, of those that are processed at once.

#include "adapters/doors/crossref/work_rounds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace depositd::crossref {

namespace {

class work_rounds_test : public ::testing::Test {
protected:
  void wait(const std::string& user, int count = 1) {
    for (int i = 0; i < count; ++i)
      rounds.wait(user, [=, this] { begun.push_back(user); });
  }

  /// Those that begin now.
  std::string begin() {
    begun.clear();
    while (const auto work = rounds.next())
      work();
    std::string out;
    for (const auto& user : begun)
      out += user;
    return out;
  }

  work_rounds rounds{3};
  std::vector<std::string> begun;
};

TEST_F(work_rounds_test, begin_as_many_as_can_be_worked_on) {
  EXPECT_EQ(begin(), "");
  wait("a", 2);
  wait("b", 2);
  EXPECT_EQ(begin(), "aba");
  EXPECT_EQ(begin(), "");
  rounds.ended("a");
  EXPECT_EQ(begin(), "b");
}

TEST_F(work_rounds_test, take_one_of_each_user_in_turn) {
  wait("a", 3);
  wait("b", 3);
  wait("c", 3);
  EXPECT_EQ(begin(), "abc");
  for (const auto* user : {"a", "b", "c"})
    rounds.ended(user);
  EXPECT_EQ(begin(), "abc");
  wait("d");
  for (const auto* user : {"a", "b", "c"})
    rounds.ended(user);
  EXPECT_EQ(begin(), "dab") << "these have just had one";
  rounds.ended("d");
  EXPECT_EQ(begin(), "c");
}

TEST_F(work_rounds_test, leave_a_place_for_who_has_none_in_work) {
  wait("a", 5);
  EXPECT_EQ(begin(), "aa");
  wait("b", 2);
  EXPECT_EQ(begin(), "b");
  wait("c");
  rounds.ended("b");
  EXPECT_EQ(begin(), "c");
  rounds.ended("a");
  EXPECT_EQ(begin(), "b");
  rounds.ended("b");
  EXPECT_EQ(begin(), "a") << "nobody else waits";
  rounds.ended("c");
  EXPECT_EQ(begin(), "") << "whoever comes finds one";
}

TEST_F(work_rounds_test, give_one_user_the_only_place_there_is) {
  rounds = work_rounds{1};
  wait("a", 2);
  wait("b");
  EXPECT_EQ(begin(), "a");
  rounds.ended("a");
  EXPECT_EQ(begin(), "b");
}

} // namespace

} // namespace depositd::crossref
