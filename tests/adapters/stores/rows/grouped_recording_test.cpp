#include "adapters/stores/rows/grouped_recording.hpp"

#include <atomic>
#include <latch>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace depositd::rows {

namespace {

using together = grouped_recording;

/// A store that takes note of each group, and holds the first one back until it
/// is let go.
class slow_store {
public:
  together::outcomes write(const together::group& all) {
    {
      const std::lock_guard lock{guard_};
      auto& group = groups_.emplace_back();
      for (const auto* x : all)
        group.push_back(x->submission);
    }
    if (!held_.test_and_set()) {
      begun.count_down();
      let_go.wait();
    }
    return write_together(all, [&](const auto& some) { return try_all(some); });
  }

  std::vector<std::vector<item_id>> groups() {
    const std::lock_guard lock{guard_};
    return groups_;
  }

  std::latch begun{1};
  std::latch let_go{1};
  std::map<item_id, caf::error> wrong;
  std::atomic<unsigned> transactions{0};

private:
  caf::expected<std::vector<together::results>>
  try_all(const together::group& all) {
    ++transactions;
    std::vector<together::results> out;
    for (const auto* x : all) {
      if (const auto at = wrong.find(x->submission); at != wrong.end())
        return at->second;
      out.push_back(together::results(x->records.size(), doi_result::added));
    }
    return out;
  }

  std::mutex guard_;
  std::vector<std::vector<item_id>> groups_;
  std::atomic_flag held_;
};

class grouped_recording_test : public ::testing::Test {
protected:
  /// Another thread records; returns when it writes or waits behind those who
  /// do already.
  void begin(item_id submission, std::size_t records = 1) {
    const auto before = all_.waiting();
    auto& told = told_[submission];
    threads_.emplace_back([this, submission, records, &told] {
      doi_registration x{.submission = submission};
      x.records.resize(records);
      told.emplace(all_.record(x));
    });
    if (threads_.size() == 1)
      store_.begun.wait();
    else
      while (all_.waiting() == before)
        std::this_thread::yield();
  }

  void finish() {
    store_.let_go.count_down();
    for (auto& x : threads_)
      x.join();
  }

  const caf::expected<together::results>& told(item_id submission) {
    return *told_.at(submission);
  }

  slow_store store_;
  together all_{[this](const auto& x) { return store_.write(x); }};
  std::map<item_id, std::optional<caf::expected<together::results>>> told_;
  std::vector<std::thread> threads_;
};

using groups = std::vector<std::vector<item_id>>;

TEST_F(grouped_recording_test, takes_together_what_comes_while_one_is_written) {
  for (item_id i = 1; i <= 5; ++i)
    begin(i, i);
  EXPECT_EQ(store_.groups(), (groups{{1}})) << "who is alone waits for nobody";
  finish();
  EXPECT_EQ(store_.groups(), (groups{{1}, {2, 3, 4, 5}}));
  EXPECT_EQ(store_.transactions, 2u);
  for (item_id i = 1; i <= 5; ++i) {
    ASSERT_TRUE(told(i)) << i;
    EXPECT_EQ(told(i)->size(), i) << "somebody else's answer";
  }
}

TEST_F(grouped_recording_test, tells_nobody_else_what_is_wrong_with_one) {
  store_.wrong[3] = caf::make_error(ec::invalid_argument);
  for (item_id i = 1; i <= 4; ++i)
    begin(i);
  finish();
  EXPECT_EQ(store_.groups(), (groups{{1}, {2, 3, 4}}));
  EXPECT_TRUE(told(2));
  ASSERT_FALSE(told(3));
  EXPECT_EQ(told(3).error(), ec::invalid_argument);
  EXPECT_TRUE(told(4));
}

TEST_F(grouped_recording_test, asks_a_store_that_fails_once_for_all) {
  store_.wrong[2] = caf::make_error(ec::store_failed);
  for (item_id i = 1; i <= 4; ++i)
    begin(i);
  finish();
  EXPECT_TRUE(told(1));
  for (item_id i = 2; i <= 4; ++i) {
    ASSERT_FALSE(told(i));
    EXPECT_EQ(told(i).error(), ec::store_failed);
  }
  EXPECT_EQ(store_.transactions, 2u);
}

TEST_F(grouped_recording_test, ends_a_group_that_has_many_records) {
  begin(1);
  begin(2, 10);
  begin(3, together::records_max);
  begin(4, together::records_max - 1);
  begin(5);
  finish();
  EXPECT_EQ(store_.groups(), (groups{{1}, {2, 3}, {4}, {5}}));
}

TEST(grouped_recordings, go_on_after_a_writer_that_threw) {
  auto calls = 0;
  together all{[&](const auto& x) -> together::outcomes {
    if (++calls == 1)
      throw std::runtime_error{"no memory"};
    return together::outcomes(x.size(), together::results{});
  }};
  const auto first = all.record({.submission = 1});
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error(), ec::store_failed);
  EXPECT_TRUE(all.record({.submission = 2}));
}

} // namespace

} // namespace depositd::rows
