// Queues that share out bytes or time, through the real queue, users' actors,
// journal and tables.

#include "messages/values/codec.hpp"
#include "tests/support/polling_fixture.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace depositd {

namespace {

using namespace std::chrono_literals;

class fair_by_cost : public testing::polling_fixture {
protected:
  void SetUp() override {
    start();
    ASSERT_TRUE(change({queue_changed{"q", {}}}));
  }

  void share_out(fair_by what) {
    ASSERT_TRUE(change({fairness_changed{"q", what}}));
  }

  std::vector<item_id> fill(const std::string& user, int count,
                            std::size_t bytes) {
    return put(
      "q", std::vector<new_item>(static_cast<std::size_t>(count),
                                 new_item{user, 0, std::string(bytes, 'x')}));
  }

  /// One item, from its pick to its end, which comes after what `takes` says.
  std::string serve(const testing::test_processor& by) {
    const auto before = by.got->items.size();
    want(by, 1);
    if (by.got->items.size() == before) {
      ADD_FAILURE() << "nobody is served";
      return {};
    }
    const auto item = by.got->items.back();
    bytes_got[item.user] += item.body.size();
    if (const auto at = takes.find(item.user); at != takes.end())
      advance(at->second);
    ms_got[item.user] += takes[item.user].count();
    end(by, item);
    return item.user;
  }

  strings serve(const testing::test_processor& by, int count) {
    strings out;
    for (int i = 0; i < count; ++i)
      out.push_back(serve(by));
    return out;
  }

  static std::ptrdiff_t times(const strings& users, const std::string& user) {
    return std::count(users.begin(), users.end(), user);
  }

  /// Lets the projector take everything into the tables.
  void project() {
    ASSERT_TRUE(ask<submissions_found>(read_model, submission_query{}));
  }

  /// What the journal says was spent.
  std::vector<ring_paid> journalled() {
    std::vector<ring_paid> out;
    const auto first = store->segments().front().first;
    EXPECT_FALSE(store->read(first, [&](const stored_group& group) {
      record_reader reader{group.bytes, group.group, bodies::skipped};
      record x;
      while (!reader.at_end() && !reader.next(x))
        for (const auto& e : x.events)
          if (const auto* paid = std::get_if<ring_paid>(&e))
            out.push_back(*paid);
      return true;
    }));
    return out;
  }

  shard::shard_state& shard_memory() {
    return caf::actor_cast<
             shard::shard_self::stateful_pointer<shard::shard_state>>(core)
      ->state;
  }

  /// Ann has got one item that costs as much as ten of Bob's, who is owed that.
  testing::test_processor ann_is_ahead() {
    fill("ann", 20, 1000);
    fill("bob", 50, 100);
    takes = {{"ann", 1000ms}, {"bob", 100ms}};
    auto out = attach_to("q");
    EXPECT_EQ(serve(out), "ann");
    return out;
  }

  void expect_bob_is_owed(const testing::test_processor& by) {
    EXPECT_EQ(serve(by, 9), strings(9, "bob"));
    const auto then = serve(by, 3);
    EXPECT_GE(times(then, "ann"), 1);
  }

  std::map<std::string, std::uint64_t> bytes_got;
  std::map<std::string, std::chrono::milliseconds> takes;
  std::map<std::string, std::int64_t> ms_got;
};

// -- shares -------------------------------------------------------------------

TEST_F(fair_by_cost, large_items_get_no_more_bytes_than_small_ones) {
  share_out(fair_by::bytes);
  fill("ann", 200, 100);
  fill("bob", 20, 1000);
  const auto sp = attach_to("q");
  for (int i = 0; i < 150; ++i) {
    serve(sp);
    ASSERT_LE(bytes_got["ann"], bytes_got["bob"] + 1100) << i;
    ASSERT_LE(bytes_got["bob"], bytes_got["ann"] + 1100) << i;
  }
  EXPECT_GT(bytes_got["bob"], 10'000u);
}

TEST_F(fair_by_cost, one_large_poll_is_shared_out_by_bytes_too) {
  share_out(fair_by::bytes);
  fill("ann", 100, 1000);
  fill("bob", 1000, 100);
  for (int round = 0; round < 2; ++round) {
    for (const auto& x : poll("q", 220))
      bytes_got[x.user] += x.body->size();
    EXPECT_NEAR(static_cast<double>(bytes_got["ann"]),
                static_cast<double>(bytes_got["bob"]), 1100)
      << round;
  }
}

TEST_F(fair_by_cost, slow_items_get_no_more_time_than_fast_ones) {
  share_out(fair_by::seconds);
  fill("ann", 200, 10);
  fill("bob", 200, 10);
  takes = {{"ann", 10ms}, {"bob", 100ms}};
  const auto sp = attach_to("q");
  for (int i = 0; i < 150; ++i) {
    serve(sp);
    ASSERT_LE(ms_got["ann"], ms_got["bob"] + 110) << i;
    ASSERT_LE(ms_got["bob"], ms_got["ann"] + 110) << i;
  }
  EXPECT_GT(ms_got["bob"], 1000);
}

TEST_F(fair_by_cost, a_larger_allocation_is_a_larger_share) {
  share_out(fair_by::bytes);
  ASSERT_TRUE(change({user_limits_changed{"q", "ann", true, 3, false, 0}}));
  fill("ann", 100, 500);
  fill("bob", 100, 200);
  const auto sp = attach_to("q");
  serve(sp, 80);
  EXPECT_NEAR(static_cast<double>(bytes_got["ann"]),
              3.0 * static_cast<double>(bytes_got["bob"]), 500 + 3 * 200);
}

TEST_F(fair_by_cost, polls_of_many_at_once_go_by_what_items_have_cost) {
  share_out(fair_by::bytes);
  fill("ann", 100, 100);
  fill("bob", 100, 1000);
  std::map<std::string, std::uint64_t> got;
  for (const auto count : {1u, 1u, 11u, 22u})
    for (const auto& x : poll("q", count))
      got[x.user] += x.body->size();
  EXPECT_LE(got["ann"], got["bob"] + 1100);
  EXPECT_LE(got["bob"], got["ann"] + 1100);
}

TEST_F(fair_by_cost, each_hand_out_of_an_item_costs_anew) {
  share_out(fair_by::bytes);
  fill("ann", 1, 1000);
  fill("bob", 50, 100);
  const auto sp = attach_to("q");
  want(sp, 1);
  ASSERT_EQ(sp.got->users(), strings{"ann"});
  end(sp, sp.got->items[0], verdict::release);
  EXPECT_EQ(serve(sp, 9), strings(9, "bob"));
  const auto before = serve(sp, 3);
  EXPECT_EQ(times(before, "ann"), 1) << "again, and for another 1000";
  const auto paid = journalled();
  EXPECT_EQ(
    std::count_if(paid.begin(), paid.end(),
                  [](const auto& x) { return x.spent == 2000u * 1024; }),
    1);
}

TEST_F(fair_by_cost, the_time_an_item_was_held_counts_however_that_ended) {
  share_out(fair_by::seconds);
  const auto sp = ann_is_ahead();
  expect_bob_is_owed(sp);
  // Given back, and out of time.
  for (const auto& queue : strings{"release", "deadline", "purge"}) {
    ASSERT_TRUE(change(
      {queue_changed{queue, {}}, fairness_changed{queue, fair_by::seconds}}));
    put(queue, {{"ann", 0, "x"}});
    const auto held = poll(queue, 1, 1000);
    ASSERT_EQ(held.size(), 1u);
    put(queue, {{"bob", 0, "x"}, {"bob", 0, "x"}});
    if (queue == "deadline") {
      advance(1100ms);
    } else {
      advance(900ms);
      if (queue == "release")
        renew(queue, names_of(held), 0);
      else
        purge(queue);
    }
    put(queue, {{"ann", 0, "y"}, {"bob", 0, "y"}});
    const auto next = poll(queue, 1);
    ASSERT_EQ(next.size(), 1u) << queue;
    EXPECT_EQ(next[0].user, "bob") << queue;
  }
}

TEST_F(fair_by_cost, claims_that_nobody_picked_are_paid_for) {
  share_out(fair_by::bytes);
  const auto ids = fill("ann", 20, 1000);
  fill("bob", 50, 100);
  renew("q", {name_of(ids[0], "ann")}, 30'000);
  EXPECT_EQ(claims("q"), 1u);
  finish("q", {name_of(ids[0], "ann")});
  project();
  restart();
  expect_bob_is_owed(attach_to("q"));
}

// -- who has nothing saves nothing up -----------------------------------------

TEST_F(fair_by_cost, who_is_at_its_cap_saves_nothing_up) {
  share_out(fair_by::bytes);
  ASSERT_TRUE(change({user_limits_changed{"q", "ann", false, 0, true, 1}}));
  fill("ann", 20, 1000);
  fill("bob", 50, 1000);
  const auto sp = attach_to("q");
  want(sp, 1);
  ASSERT_EQ(sp.got->users(), strings{"ann"});
  EXPECT_EQ(serve(sp, 20), strings(20, "bob"));
  end(sp, sp.got->items[0]);
  const auto then = serve(sp, 10);
  EXPECT_GE(times(then, "ann"), 4);
  EXPECT_LE(times(then, "ann"), 6);
}

TEST_F(fair_by_cost, who_went_and_comes_back_has_saved_nothing_up) {
  share_out(fair_by::bytes);
  fill("ann", 1, 1000);
  const auto sp = attach_to("q");
  EXPECT_EQ(serve(sp), "ann");
  fill("bob", 50, 1000);
  EXPECT_EQ(serve(sp, 30), strings(30, "bob"));
  for (int i = 0; i < 5; ++i)
    advance(30s);
  ASSERT_FALSE(shard_memory().users.contains("ann")) << "it is retired";
  const auto stood = shard_memory().rings.find({"q", "ann"});
  ASSERT_NE(stood, shard_memory().rings.end());
  EXPECT_EQ(stood->second.paid.spent, 1000u * 1024);
  fill("ann", 20, 1000);
  const auto then = serve(sp, 10);
  EXPECT_GE(times(then, "ann"), 4);
  EXPECT_LE(times(then, "ann"), 6);
}

TEST_F(fair_by_cost, who_came_before_a_restart_has_saved_nothing_up) {
  share_out(fair_by::bytes);
  fill("ann", 60, 1000);
  serve(attach_to("q"), 30);
  fill("cid", 60, 1000);
  restart();
  const auto then = serve(attach_to("q"), 10);
  EXPECT_GE(times(then, "cid"), 4);
  EXPECT_LE(times(then, "cid"), 6);
}

// -- restarts -----------------------------------------------------------------

TEST_F(fair_by_cost, goes_on_from_the_journal_and_from_the_tables) {
  for (const auto by : {fair_by::bytes, fair_by::seconds})
    for (const bool projected : {false, true}) {
      share_out(by);
      purge("q");
      restart(); // nobody knows anybody
      share_out(fair_by::turns);
      share_out(by);
      ann_is_ahead();
      if (projected)
        project();
      restart();
      const auto sp = attach_to("q");
      expect_bob_is_owed(sp);
    }
}

TEST_F(fair_by_cost, claims_that_outlive_a_restart_cost_the_time_since) {
  share_out(fair_by::seconds);
  fill("ann", 20, 10);
  const auto held = poll("q", 1, 3'600'000);
  ASSERT_EQ(held.size(), 1u);
  fill("bob", 50, 10);
  takes = {{"ann", 1000ms}, {"bob", 100ms}};
  restart();
  advance(1000ms);
  finish("q", names_of(held));
  expect_bob_is_owed(attach_to("q"));
}

TEST_F(fair_by_cost, writes_down_what_was_spent_with_claims_and_ends) {
  const auto sp = attach_to("q");
  fill("ann", 20, 100);
  serve(sp, 4);
  EXPECT_TRUE(journalled().empty()) << "turns cost nothing";
  share_out(fair_by::bytes);
  serve(sp, 3);
  auto all = journalled();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].spent, 300u * 1024);
  EXPECT_GT(all[2].since, 0u);
  share_out(fair_by::seconds);
  takes = {{"ann", 40ms}};
  serve(sp, 2);
  all = journalled();
  ASSERT_EQ(all.size(), 7u) << "claim, end, claim, end";
  EXPECT_EQ(all[4].spent, 40u * 1024);
  EXPECT_EQ(all[6].spent, 80u * 1024);
  EXPECT_GT(all[6].since, all[2].since);
}

// -- changes of what is shared out --------------------------------------------

TEST_F(fair_by_cost, can_be_changed_while_it_works) {
  fill("ann", 200, 100);
  fill("bob", 100, 1000);
  const auto sp = attach_to("q");
  serve(sp, 20);
  EXPECT_EQ(bytes_got["bob"], 10u * 1000);
  share_out(fair_by::bytes);
  bytes_got.clear();
  serve(sp, 60);
  EXPECT_LE(bytes_got["ann"], bytes_got["bob"] + 1100);
  EXPECT_LE(bytes_got["bob"], bytes_got["ann"] + 1100);
  share_out(fair_by::turns);
  const auto then = serve(sp, 10);
  EXPECT_EQ(times(then, "ann"), 5);
}

TEST_F(fair_by_cost, what_is_set_again_forgets_nothing) {
  share_out(fair_by::bytes);
  const auto sp = ann_is_ahead();
  share_out(fair_by::bytes);
  queue_settings settings;
  settings.retry_delay_ms = 7;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  expect_bob_is_owed(sp);
}

TEST_F(fair_by_cost, sums_go_on_when_something_else_is_set) {
  share_out(fair_by::bytes);
  fill("ann", 20, 100);
  const auto sp = attach_to("q");
  serve(sp, 3);
  queue_settings settings;
  settings.retry_delay_ms = 7;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  serve(sp);
  EXPECT_EQ(journalled().back().spent, 400u * 1024);
}

TEST_F(fair_by_cost, a_change_to_and_fro_forgets_all_sums) {
  for (const bool restarted : {false, true}) {
    purge("q");
    share_out(fair_by::turns);
    share_out(fair_by::bytes);
    auto sp = ann_is_ahead();
    project();
    share_out(fair_by::turns);
    share_out(fair_by::bytes);
    if (restarted) {
      restart();
      sp = attach_to("q");
    }
    const auto then = serve(sp, 2);
    EXPECT_EQ(times(then, "ann"), 1) << "Bob is owed nothing any more";
  }
}

TEST_F(fair_by_cost, an_item_held_over_a_change_costs_what_comes_after_it) {
  const auto sp = attach_to("q");
  fill("ann", 20, 10);
  want(sp, 1);
  fill("bob", 50, 10);
  takes = {{"ann", 1000ms}, {"bob", 100ms}};
  advance(5000ms);
  share_out(fair_by::seconds);
  advance(1000ms);
  end(sp, sp.got->items.at(0));
  const auto paid = journalled();
  ASSERT_EQ(paid.size(), 1u);
  EXPECT_EQ(paid[0].spent, 1000u * 1024);
  expect_bob_is_owed(sp);
}

} // namespace

} // namespace depositd
