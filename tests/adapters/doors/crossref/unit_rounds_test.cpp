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

  work_rounds rounds{2};
  std::vector<std::string> begun;
};

TEST_F(work_rounds_test, begin_as_many_as_can_be_worked_on) {
  EXPECT_EQ(begin(), "");
  wait("a", 4);
  EXPECT_EQ(begin(), "aa");
  EXPECT_EQ(begin(), "");
  rounds.ended("a");
  EXPECT_EQ(begin(), "a");
}

TEST_F(work_rounds_test, take_one_of_each_user_in_turn) {
  wait("a", 3);
  wait("b", 3);
  EXPECT_EQ(begin(), "ab");
  rounds.ended("a");
  rounds.ended("b");
  EXPECT_EQ(begin(), "ab");
  wait("c");
  rounds.ended("a");
  rounds.ended("b");
  EXPECT_EQ(begin(), "ca") << "these have just had one";
  rounds.ended("c");
  EXPECT_EQ(begin(), "b");
}

TEST_F(work_rounds_test, let_who_has_none_in_work_go_first) {
  wait("a", 5);
  EXPECT_EQ(begin(), "aa");
  wait("b");
  wait("c");
  rounds.ended("a");
  EXPECT_EQ(begin(), "b");
  rounds.ended("b");
  EXPECT_EQ(begin(), "c");
  rounds.ended("a");
  EXPECT_EQ(begin(), "a");
}

} // namespace

} // namespace depositd::crossref
