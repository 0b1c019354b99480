#include "adapters/processing/crossref/slot_threads.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace {

using depositd::crossref::slot_threads;
using depositd::crossref::slot_threads_options;
using namespace std::chrono_literals;

/// Of tests in which nobody may ever count as slow.
constexpr std::chrono::milliseconds for_ever = 1h;

struct slot_threads_test : ::testing::Test {
  void open(const slot_threads_options& options) {
    threads.emplace(system, options);
  }

  /// Says which thread it was done by.
  std::future<std::thread::id> done() {
    auto said = std::make_shared<std::promise<std::thread::id>>();
    EXPECT_TRUE(
      threads->take([said] { said->set_value(std::this_thread::get_id()); }));
    return said->get_future();
  }

  /// Is begun, and goes on until `what` is there.
  void take_one_that_waits_for(std::shared_future<void> what) {
    auto begun = std::make_shared<std::promise<void>>();
    auto is_begun = begun->get_future();
    EXPECT_TRUE(threads->take([begun, what = std::move(what)] {
      begun->set_value();
      what.wait();
    }));
    is_begun.wait();
  }

  caf::actor_system_config config;
  caf::actor_system system{config};
  std::optional<slot_threads> threads; ///< ends before the system
};

TEST_F(slot_threads_test, has_no_more_busy_than_may_be) {
  open({.busy_max = 1, .patience = for_ever});
  std::promise<void> go_on;
  take_one_that_waits_for(go_on.get_future().share());
  std::vector<std::future<std::thread::id>> all;
  for (auto i = 0; i < 9; ++i)
    all.push_back(done());
  for (const auto& x : all)
    EXPECT_EQ(x.wait_for(0s), std::future_status::timeout);
  go_on.set_value();
  const auto first = all.front().get();
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_EQ(all[i].get(), first);
}

TEST_F(slot_threads_test, has_a_thread_for_each_where_all_may_wait) {
  open({.busy_max = 0, .patience = for_ever});
  std::promise<void> go_on;
  const auto until = go_on.get_future().share();
  for (auto i = 0; i < 20; ++i)
    take_one_that_waits_for(until);
  go_on.set_value();
}

TEST_F(slot_threads_test, does_not_count_on_those_who_take_long) {
  open({.busy_max = 2, .patience = 1ms});
  std::promise<void> go_on;
  const auto until = go_on.get_future().share();
  for (auto i = 0; i < 20; ++i)
    take_one_that_waits_for(until);
  done().wait();
  go_on.set_value();
}

TEST_F(slot_threads_test, counts_on_them_again_when_they_are_through) {
  open({.busy_max = 1, .patience = 1ms});
  std::promise<void> go_on;
  const auto until = go_on.get_future().share();
  for (auto i = 0; i < 5; ++i)
    take_one_that_waits_for(until);
  go_on.set_value();
  std::vector<std::future<std::thread::id>> all;
  for (auto i = 0; i < 100; ++i)
    all.push_back(done());
  for (auto& x : all)
    x.wait();
}

TEST_F(slot_threads_test, keeps_the_order) {
  open({.busy_max = 1, .patience = for_ever});
  std::promise<void> go_on;
  take_one_that_waits_for(go_on.get_future().share());
  std::vector<int> order;
  for (auto i = 0; i < 9; ++i)
    EXPECT_TRUE(threads->take([&order, i] { order.push_back(i); }));
  auto last = done();
  go_on.set_value();
  last.wait();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(slot_threads_test, drops_what_is_not_begun_when_it_ends) {
  open({.busy_max = 1, .patience = for_ever});
  std::promise<void> go_on;
  take_one_that_waits_for(go_on.get_future().share());
  const auto held = std::make_shared<int>(1);
  EXPECT_TRUE(threads->take([held] { ADD_FAILURE() << "was begun"; }));
  threads.reset();
  EXPECT_EQ(held.use_count(), 1);
  go_on.set_value(); // the system waits for its thread
}

/// Somebody is called, and others are through with all by then.
TEST_F(slot_threads_test, forgets_that_one_was_slow_who_found_nothing) {
  open({.busy_max = 1, .patience = 0ms});
  for (auto round = 0; round < 2000; ++round) {
    std::vector<std::future<std::thread::id>> all;
    for (auto i = 0; i < 4; ++i)
      all.push_back(done());
    for (auto& x : all)
      x.wait();
  }
}

TEST_F(slot_threads_test, may_be_used_by_many_at_once) {
  open({.busy_max = 2, .patience = 1ms});
  std::atomic<int> count{0};
  std::promise<void> all;
  const auto one = [&] {
    for (auto i = 0; i < 1000; ++i)
      EXPECT_TRUE(threads->take([&] {
        if (++count == 4000)
          all.set_value();
      }));
  };
  std::vector<std::jthread> askers;
  for (auto i = 0; i < 4; ++i)
    askers.emplace_back(one);
  all.get_future().wait();
}

} // namespace
