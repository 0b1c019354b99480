#include "actors/rules/ledger/recent_ids.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd::rules {
namespace {

using answer = recent_ids::answer;

TEST(recent_ids, tell_a_repetition_from_another_content) {
  recent_ids x{100, 10};
  EXPECT_EQ(x.see("ann", "a", 4, 7, 1), answer::fresh);
  EXPECT_EQ(x.see("ann", "a", 4, 7, 2), answer::repeated);
  EXPECT_EQ(x.see("ann", "a", 4, 8, 2), answer::other_content);
  EXPECT_EQ(x.see("ann", "a", 5, 7, 2), answer::other_content);
  EXPECT_EQ(x.see("ann", "a", 4, 0, 2), answer::repeated) << "digest unknown";
  EXPECT_EQ(x.see("bob", "a", 5, 7, 2), answer::fresh);
  EXPECT_EQ(x.see("cid", "a", 4, 0, 2), answer::fresh);
  EXPECT_EQ(x.see("cid", "a", 4, 7, 2), answer::repeated) << "it was unknown";
}

TEST(recent_ids, know_a_batch_by_its_uuid_and_what_is_said_of_it) {
  batch_info one{"bid-1", "books", "p", "kafka", "Ann", "file", "f", "t"};
  auto same = one;
  same.pipeline = "q"; // the collection's, whichever it is by then
  auto other = one;
  other.title = "u";
  recent_ids x{100, 10};
  const auto see = [&](const batch_info& of) {
    return x.see("ann", id_of(of), size_of(of), 0, 1);
  };
  EXPECT_EQ(see(one), answer::fresh);
  EXPECT_EQ(see(same), answer::repeated);
  EXPECT_EQ(see(other), answer::other_content);
  EXPECT_EQ(x.see("ann", "bid-1", 1, 1, 1), answer::fresh) << "a deposit";
  auto moved = one;
  moved.collection = "book";
  moved.submitter = "sAnn";
  EXPECT_EQ(see(moved), answer::other_content);
}

TEST(recent_ids, are_forgotten_after_their_time_or_when_there_are_too_many) {
  recent_ids x{100, 2};
  EXPECT_EQ(x.see("ann", "a", 1, 1, 0), answer::fresh);
  EXPECT_EQ(x.see("ann", "a", 1, 1, 99), answer::repeated);
  EXPECT_EQ(x.see("ann", "a", 1, 1, 100), answer::fresh);
  for (const auto* id : {"b", "c", "d"})
    EXPECT_EQ(x.see("ann", id, 1, 1, 100), answer::fresh);
  EXPECT_EQ(x.see("ann", "d", 1, 1, 100), answer::repeated);
  EXPECT_EQ(x.see("ann", "a", 1, 1, 100), answer::fresh);
}

TEST(recent_ids, are_as_before_once_the_last_are_taken_back) {
  recent_ids x{100, 10};
  x.see("ann", "a", 1, 1, 0);
  x.see("ann", "b", 1, 1, 1);
  x.see("ann", "a", 1, 1, 2); // known: it is not among the last
  x.see("ann", "c", 1, 1, 3);
  x.take_back(2);
  EXPECT_EQ(x.size(), 1u);
  EXPECT_EQ(x.see("ann", "a", 2, 2, 4), answer::other_content);
  EXPECT_EQ(x.see("ann", "b", 2, 2, 4), answer::fresh);
  EXPECT_EQ(x.see("ann", "c", 2, 2, 4), answer::fresh);
}

TEST(recent_ids, that_are_forgotten_already_are_not_taken_back) {
  recent_ids x{100, 2};
  for (int i = 0; i < 10; ++i)
    x.see("ann", std::to_string(i), 1, 1, 0);
  x.take_back(10);
  EXPECT_EQ(x.size(), 0u);
  EXPECT_EQ(x.see("ann", "9", 1, 1, 0), answer::fresh);
}

} // namespace
} // namespace depositd::rules
