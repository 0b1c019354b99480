// What pollers hear of a slice that the tables do not have yet.

#include "actors/rules/fold/slice_fold.hpp"

#include "tests/actors/rules/fold/random_journal.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace depositd {
namespace {

using testing::enqueued;
using testing::received;

class a_poll : public ::testing::Test {
protected:
  void add(const std::vector<event>& events) {
    fold.add({"U", events});
  }

  static submission_query of_file(const std::string& name = "f.xml") {
    submission_query out;
    out.user = "U";
    out.file_name = name;
    out.count_max = 1;
    return out;
  }

  static submission_query of_batch(const std::string& name) {
    submission_query out;
    out.user = "U";
    out.batch_id = name;
    out.count_max = 1;
    return out;
  }

  static submission_row in_tables(item_id id) {
    submission_row out;
    out.id = id;
    out.user = "U";
    out.submission.file_name = "f.xml";
    return out;
  }

  static event end(item_id id, const std::string& batch) {
    return item_finished{.id = id,
                         .queue = "q",
                         .finished_us = 9,
                         .batch_id = batch,
                         .document = "<ok/>"};
  }

  rules::slice_fold fold{10};
};

TEST_F(a_poll, is_answered_while_the_tables_know_nothing) {
  add({enqueued(5), received(5)});
  auto found = fold.answer(of_file(), {});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().status, submission_status::queued);
  add({end(5, "b")});
  for (const auto& poll : {of_file(), of_batch("b")}) {
    found = fold.answer(poll, {});
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1u);
    EXPECT_EQ(found->front().status, submission_status::completed);
    EXPECT_EQ(found->front().document, "<ok/>");
  }
  found = fold.answer(of_file("other"), {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
}

TEST_F(a_poll, of_a_row_in_the_tables_hears_what_became_of_it) {
  add({end(5, "b")});
  const auto found = fold.answer(of_file(), {in_tables(5)});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().batch_id, "b");
}

TEST_F(a_poll, gets_the_first_or_the_last_of_a_name) {
  add({enqueued(6), received(6), enqueued(7), received(7)});
  auto poll = of_file();
  poll.newest_first = false;
  EXPECT_EQ(fold.answer(poll, {})->front().id, 6u);
  EXPECT_EQ(fold.answer(poll, {in_tables(5)})->front().id, 5u);
  poll.newest_first = true;
  EXPECT_EQ(fold.answer(poll, {in_tables(5)})->front().id, 7u);
}

TEST_F(a_poll, of_a_batch_that_one_of_the_tables_may_have_is_theirs_to_answer) {
  add({end(5, "b")});
  EXPECT_FALSE(fold.answer(of_batch("b"), {}));
  EXPECT_TRUE(fold.answer(of_batch("other"), {}));
  fold.take();
  EXPECT_TRUE(fold.answer(of_batch("b"), {}));
}

TEST(asks_for_one, is_true_of_what_pollers_ask_and_nothing_else) {
  submission_query x;
  x.count_max = 1;
  EXPECT_FALSE(rules::asks_for_one(x));
  x.id = 7;
  EXPECT_TRUE(rules::asks_for_one(x));
  x.id = 0;
  x.file_name = "f";
  EXPECT_FALSE(rules::asks_for_one(x)) << "anybody's";
  x.user = "U";
  EXPECT_TRUE(rules::asks_for_one(x));
  const auto with = [&](auto change) {
    auto out = x;
    change(out);
    return rules::asks_for_one(out);
  };
  EXPECT_FALSE(with([](auto& y) { y.count_max = 2; }));
  EXPECT_FALSE(with([](auto& y) { y.batch_id = "b"; }));
  EXPECT_FALSE(with([](auto& y) { y.queue = "q"; }));
  EXPECT_FALSE(with([](auto& y) { y.has_status = true; }));
  EXPECT_FALSE(with([](auto& y) { y.with_contents = true; }));
  EXPECT_FALSE(with([](auto& y) { y.ids = {1}; }));
  EXPECT_FALSE(with([](auto& y) { y.after = {1}; }));
}

} // namespace
} // namespace depositd
