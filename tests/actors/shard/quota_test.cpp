// How much of a user may wait, as a shard holds to it.

#include "tests/support/engine_fixture.hpp"

#include <set>
#include <utility>
#include <vector>

namespace depositd {

namespace {

class quota_test : public testing::engine_fixture {
protected:
  void SetUp() override {
    start();
    ASSERT_TRUE(change({queue_changed{"q", {}}}));
  }

  caf::expected<enqueued> send(std::size_t bytes,
                               const std::string& user = "ann") {
    return ask<enqueued>(core,
                         enqueue{"q", {{user, 0, std::string(bytes, 'x')}}});
  }

  bool is_over_bytes(std::size_t bytes, const std::string& user = "ann") {
    const auto said = send(bytes, user);
    EXPECT_TRUE(said);
    return said && said->refused == 1 && said->over_bytes;
  }

  caf::expected<enqueued> deposit(std::uint64_t bytes) {
    submit what{"metadata", "ann", 0, {}};
    what.submission.size = bytes;
    return ask<enqueued>(core, std::move(what));
  }
};

TEST_F(quota_test, refuses_bytes_beyond_it_and_says_why) {
  ASSERT_TRUE(change({quota_changed{"q", "ann", true, 100, false, 0}}));
  EXPECT_FALSE(is_over_bytes(60));
  EXPECT_TRUE(is_over_bytes(60));
  EXPECT_FALSE(is_over_bytes(40));
  EXPECT_FALSE(is_over_bytes(500, "bob"));
}

TEST_F(quota_test, of_everybody_holds_for_each) {
  ASSERT_TRUE(change({quota_changed{"q", "", true, 100, false, 0}}));
  EXPECT_FALSE(is_over_bytes(100));
  EXPECT_FALSE(is_over_bytes(100, "bob"));
  EXPECT_TRUE(is_over_bytes(1, "bob"));
}

TEST_F(quota_test, changes_for_who_is_there_and_after_a_restart) {
  EXPECT_FALSE(is_over_bytes(60));
  ASSERT_TRUE(change({quota_changed{"q", "ann", true, 100, false, 0}}));
  EXPECT_TRUE(is_over_bytes(60));
  crash();
  start();
  EXPECT_TRUE(is_over_bytes(60));
  ASSERT_TRUE(change({quota_changed{"q", "ann", false, 0, false, 0}}));
  EXPECT_FALSE(is_over_bytes(60));
}

TEST_F(quota_test, of_numbers_is_not_said_to_be_of_bytes) {
  queue_settings settings;
  settings.pending_limit = 1;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  EXPECT_TRUE(send(1));
  const auto said = send(1);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->refused, 1u);
  EXPECT_FALSE(said->over_bytes);
}

/// Messages that are one batch, so many for each of these queues.
enqueue batch(const std::vector<std::pair<std::string, int>>& queues) {
  enqueue out;
  out.whole = true;
  for (const auto& [queue, count] : queues) {
    const std::vector<new_item> items(count, {"ann", 0, "x"});
    if (out.queue.empty()) {
      out.queue = queue;
      out.items = items;
    } else {
      out.also.push_back({queue, items});
    }
  }
  return out;
}

class batch_test : public quota_test {
protected:
  void SetUp() override {
    quota_test::SetUp();
    queue_settings three;
    three.pending_limit = 3;
    ASSERT_TRUE(change({queue_changed{"q", three}, queue_changed{"r", {}}}));
  }

  std::uint64_t pending(const std::string& queue) {
    const auto said = ask<pending_counted>(core, count_pending{queue, "ann"});
    EXPECT_TRUE(said);
    return said ? said->pending : 0;
  }

  bool is_refused(const enqueue& what) {
    const auto said = ask<enqueued>(core, what);
    EXPECT_TRUE(said);
    return said && said->refused == said->ids.size()
           && said->ids == std::vector<item_id>(said->ids.size(), 0);
  }
};

TEST_F(batch_test, without_room_for_all_is_not_stored_in_part) {
  EXPECT_TRUE(is_refused(batch({{"q", 4}})));
  EXPECT_EQ(pending("q"), 0u);
  EXPECT_FALSE(is_refused(batch({{"q", 2}})));
  EXPECT_TRUE(is_refused(batch({{"q", 2}})));
  EXPECT_EQ(pending("q"), 2u);
  EXPECT_FALSE(is_refused(batch({{"q", 1}})));
  EXPECT_EQ(pending("q"), 3u);
}

TEST_F(batch_test, over_the_quota_of_bytes_is_not_stored_in_part) {
  ASSERT_TRUE(change({quota_changed{"r", "ann", true, 2, false, 0}}));
  EXPECT_TRUE(is_refused(batch({{"r", 3}})));
  EXPECT_EQ(pending("r"), 0u);
  EXPECT_FALSE(is_refused(batch({{"r", 2}})));
}

TEST_F(batch_test, for_several_queues_is_stored_in_all_or_none) {
  EXPECT_TRUE(is_refused(batch({{"r", 2}, {"q", 4}})));
  EXPECT_TRUE(is_refused(batch({{"q", 4}, {"r", 2}})));
  EXPECT_EQ(pending("q"), 0u);
  EXPECT_EQ(pending("r"), 0u);
  const auto all = ask<enqueued>(core, batch({{"r", 2}, {"q", 3}}));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->refused, 0u);
  EXPECT_EQ(std::set<item_id>(all->ids.begin(), all->ids.end()).size(), 5u);
  EXPECT_EQ(pending("q"), 3u);
  EXPECT_EQ(pending("r"), 2u);
  crash();
  start();
  EXPECT_EQ(pending("q"), 3u);
  EXPECT_EQ(pending("r"), 2u);
}

TEST_F(batch_test, makes_the_queues_that_are_new) {
  EXPECT_FALSE(is_refused(batch({{"r", 1}, {"new", 2}, {"newer", 1}})));
  EXPECT_EQ(pending("new"), 2u);
  EXPECT_EQ(pending("newer"), 1u);
}

TEST_F(batch_test, is_of_one_user_and_says_that_it_is_one) {
  auto mixed = batch({{"r", 2}});
  mixed.items[1].user = "bob";
  EXPECT_EQ(ask<enqueued>(core, mixed).error(), ec::invalid_argument);
  auto loose = batch({{"q", 1}, {"r", 1}});
  loose.whole = false;
  EXPECT_EQ(ask<enqueued>(core, loose).error(), ec::invalid_argument);
  EXPECT_EQ(pending("q"), 0u);
}

TEST_F(quota_test, holds_for_deposits_by_the_size_of_their_files) {
  ASSERT_TRUE(change({quota_changed{"metadata", "ann", true, 1000, false, 0}}));
  EXPECT_TRUE(deposit(900));
  const auto refused = deposit(900);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::quota_reached);
  const auto counted =
    ask<pending_counted>(core, count_pending{"metadata", "ann"});
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->bytes, 900u);
  EXPECT_EQ(counted->bytes_max, 1000u);
}

} // namespace

} // namespace depositd
