// The judge of files that are too large for a journal is judged.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

class large_files : public ::testing::Test {
protected:
  void come(const std::string& blob) {
    submission_received x;
    x.id = 1;
    x.submission.blob = blob;
    t.write("a", x);
  }

  void ask(file_said said, verdict says) {
    t.add(file_asked{1, 1, said, says});
  }

  std::size_t wrong() const {
    findings found;
    check_files(t.told, found);
    return found.size();
  }

  tale t;
};

TEST_F(large_files, are_kept_before_a_deposit_names_them) {
  t.add(file_kept{"one"});
  come("one");
  come("none");
  come("");
  EXPECT_EQ(wrong(), 0u);
}

TEST_F(large_files, may_not_be_kept_after_that) {
  come("one");
  t.add(file_kept{"one"});
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(large_files, of_a_store_that_is_away_cost_no_attempt) {
  ask(file_said::away, verdict::not_yet);
  ask(file_said::away, verdict::release);
  EXPECT_EQ(wrong(), 0u);
  ask(file_said::away, verdict::retry);
  ask(file_said::away, verdict::failed);
  ask(file_said::away, verdict::done);
  EXPECT_EQ(wrong(), 3u);
}

TEST_F(large_files, that_are_lost_are_not_done_without) {
  ask(file_said::lost, verdict::retry);
  ask(file_said::lost, verdict::failed);
  EXPECT_EQ(wrong(), 0u);
  ask(file_said::lost, verdict::done);
  ask(file_said::lost, verdict::not_yet);
  EXPECT_EQ(wrong(), 2u);
}

TEST_F(large_files, that_are_given_say_nothing_of_the_end) {
  for (const auto says : {verdict::done, verdict::failed, verdict::retry})
    ask(file_said::given, says);
  EXPECT_EQ(wrong(), 0u);
}

} // namespace

} // namespace depositd::simulation
