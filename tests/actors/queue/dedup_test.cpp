// Queues in which equal payloads collapse when one is handed out.

#include "tests/support/polling_fixture.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

constexpr auto q = "dedupq/q";

class dedup_queue_test : public testing::polling_fixture {
protected:
  void SetUp() override {
    start();
  }

  std::vector<item_id> send(const std::string& user, const strings& bodies) {
    return put(q, sent_by(user, bodies));
  }
};

TEST_F(dedup_queue_test, two_equal_payloads_are_polled_as_one) { // X1
  const auto ids = send("ann", {"M"});
  send("ann", {"M"});
  const auto got = poll(q);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].name.id, ids[0]) << "the oldest survives";
  EXPECT_TRUE(poll(q).empty());
  finish(q, names_of(got));
  EXPECT_EQ(size(q), 0u);
  EXPECT_TRUE(poll(q).empty());
}

TEST_F(dedup_queue_test, equal_payloads_of_two_users_collapse_into_the_first) {
  send("bob", {"M"});
  send("ann", {"M"});
  const auto got = poll(q);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].user, "bob");
  EXPECT_EQ(size(q), 1u);
  EXPECT_EQ(peeked(q), 1u);
}

TEST_F(dedup_queue_test, what_was_handed_out_merges_with_nothing) { // X2, X3
  send("ann", {"M"});
  const auto first = poll(q);
  send("bob", {"M"});
  const auto second = poll(q);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_NE(first[0].name, second[0].name);
  finish(q, names_of(first));
  EXPECT_TRUE(ask<done>(core, release_queue{q}));
  EXPECT_EQ(names_of(poll(q)), names_of(second));
}

TEST_F(dedup_queue_test, a_batch_sent_twice_is_polled_once) { // X4
  const strings batch{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  send("ann", batch);
  send("ann", batch);
  EXPECT_EQ(polled(q), batch);
}

TEST_F(dedup_queue_test, copies_show_and_count_until_one_is_handed_out) { // X5
  send("ann", {"M", "M"});
  EXPECT_EQ(peeked(q), 2u);
  EXPECT_EQ(size(q), 2u);
  EXPECT_EQ(report_of(q).ready, 1u);
  poll(q);
  EXPECT_EQ(peeked(q), 1u);
  EXPECT_EQ(size(q), 1u);
}

TEST_F(dedup_queue_test, payloads_are_compared_by_their_bytes) { // X6
  send("ann", {R"({"a":1,"b":2})", R"({"b":2,"a":1})", "1", "1.0"});
  EXPECT_EQ(poll(q).size(), 4u);
}

TEST_F(dedup_queue_test, many_payloads_sent_twice_count_twice_until_polled) {
  strings batch; // X7
  for (int i = 0; i < 101; ++i)
    batch.push_back(std::string{"payload "}.append(std::to_string(i)));
  send("ann", batch);
  send("bob", batch);
  EXPECT_EQ(size(q), 202u);
  EXPECT_EQ(poll(q, 1000).size(), 101u);
  EXPECT_EQ(size(q), 101u);
  EXPECT_EQ(claims(q), 101u);
}

TEST_F(dedup_queue_test, both_copies_come_after_the_first_claim_ended) { // X8
  send("ann", {"M"});
  poll(q, 1, 1000);
  send("ann", {"M"});
  advance(1s);
  EXPECT_EQ(polled(q), (strings{"M", "M"}));
}

TEST_F(dedup_queue_test, a_plain_queue_of_the_name_is_another_queue) { // X10
  send("ann", {"M", "M"});
  put("q", sent_by("ann", {"M", "M"}));
  EXPECT_EQ(poll("q").size(), 2u);
  EXPECT_EQ(poll(q).size(), 1u);
}

TEST_F(dedup_queue_test, a_released_item_was_handed_out_all_the_same) {
  send("ann", {"M"});
  const auto got = names_of(poll(q));
  renew(q, got, 0);
  send("bob", {"M"});
  EXPECT_EQ(polled(q), (strings{"M", "M"}));
}

TEST_F(dedup_queue_test, so_was_one_whose_worker_said_not_yet) {
  send("ann", {"M"});
  finish(q, names_of(poll(q)), verdict::not_yet, 1000);
  send("bob", {"M"});
  advance(1s);
  EXPECT_EQ(polled(q), (strings{"M", "M"}));
}

TEST_F(dedup_queue_test, that_holds_over_a_restart) {
  send("ann", {"M"});
  renew(q, names_of(poll(q)), 0);
  restart();
  send("bob", {"M"});
  EXPECT_EQ(polled(q), (strings{"M", "M"}));
}

TEST_F(dedup_queue_test, the_next_copy_follows_one_that_is_acked_unclaimed) {
  const auto first = send("ann", {"M"}).at(0);
  const auto second = send("bob", {"M"}).at(0);
  send("cid", {"M"});
  finish(q, {name_of(first, "ann")});
  EXPECT_EQ(size(q), 2u);
  const auto got = poll(q);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].name.id, second);
  EXPECT_EQ(size(q), 1u);
}

TEST_F(dedup_queue_test, a_shadow_that_is_acked_is_simply_gone) {
  send("ann", {"M"});
  const auto second = send("bob", {"M"}).at(0);
  finish(q, {name_of(second, "bob")});
  EXPECT_EQ(size(q), 1u);
  EXPECT_EQ(poll(q).size(), 1u);
}

TEST_F(dedup_queue_test, a_shadow_that_is_claimed_by_id_survives_the_others) {
  send("ann", {"M"});
  const auto second = send("bob", {"M"}).at(0);
  renew(q, {name_of(second, "bob")}, 5000);
  EXPECT_TRUE(poll(q).empty());
  EXPECT_EQ(size(q), 1u);
  EXPECT_EQ(claims(q), 1u);
  advance(5s);
  EXPECT_EQ(poll(q).at(0).name.id, second);
}

TEST_F(dedup_queue_test, a_purge_leaves_no_trace) {
  send("ann", {"M", "M"});
  send("bob", {"M", "N"});
  poll(q, 1);
  send("bob", {"M"});
  purge(q);
  EXPECT_EQ(size(q), 0u);
  EXPECT_EQ(report_of(q).ready, 0u);
  EXPECT_TRUE(poll(q).empty());
  send("ann", {"M"});
  send("bob", {"N"});
  EXPECT_EQ(polled(q), (strings{"M", "N"}));
}

TEST_F(dedup_queue_test, a_parked_copy_makes_room_and_comes_back_as_a_shadow) {
  send("ann", {"M"});
  const auto second = send("bob", {"M"}).at(0);
  park_matching what;
  what.users = {"ann"};
  what.to_us = time_us * 2;
  ASSERT_TRUE(ask<matching_parked>(core, what));
  EXPECT_EQ(report_of(q).ready, 1u);
  what.parked = false;
  ASSERT_TRUE(ask<matching_parked>(core, what));
  EXPECT_EQ(report_of(q).ready, 1u);
  EXPECT_EQ(poll(q).at(0).name.id, second);
  EXPECT_EQ(size(q), 1u);
}

TEST_F(dedup_queue_test, copies_find_each_other_again_after_a_restart) {
  const auto first = send("bob", {"M"}).at(0);
  send("ann", {"M", "N"});
  restart();
  EXPECT_EQ(size(q), 3u);
  EXPECT_EQ(report_of(q).ready, 2u);
  send("cid", {"M"});
  const auto got = poll(q);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(std::count_if(got.begin(), got.end(),
                          [&](const auto& x) { return x.name.id == first; }),
            1);
  EXPECT_EQ(size(q), 2u);
  restart();
  EXPECT_EQ(size(q), 2u) << "collapsed is collapsed";
  EXPECT_EQ(claims(q), 2u);
}

TEST_F(dedup_queue_test, that_holds_for_what_is_in_the_tables_too) {
  send("bob", {"M"});
  send("ann", {"M", "N"});
  ASSERT_EQ(peeked(q), 3u); // projected
  restart();
  send("cid", {"N"});
  EXPECT_EQ(polled(q), (strings{"M", "N"}));
  EXPECT_EQ(size(q), 2u);
}

/// The message after which the engine dies comes ever later.
TEST_F(dedup_queue_test, no_crash_during_a_poll_loses_a_payload) {
  bool completed = false;
  for (std::size_t messages = 0; !completed && !HasFailure(); ++messages) {
    SCOPED_TRACE(messages);
    ASSERT_LT(messages, 2000u);
    send("ann", {"M"});
    send("bob", {"M", "N"});
    auto polling = self->request(core, caf::infinite,
                                 receive_items{q, "worker", 5, 60'000, no_cap});
    for (std::size_t i = 0; i < messages && sched.try_run_once(); ++i) {
      // one message at a time
    }
    completed = sched.jobs.empty();
    crash();
    if (self->has_next_message())
      polling.receive([](const items_received&) {}, [](const caf::error&) {});
    start();
    EXPECT_TRUE(ask<done>(core, release_queue{q}));
    auto found = polled(q);
    EXPECT_EQ(size(q), found.size());
    // A crash between claim and collapse leaves a copy, which is M again.
    EXPECT_TRUE(found == (strings{"M", "N"})
                || (!completed && found == (strings{"M", "M", "N"})));
    purge(q);
  }
}

TEST_F(dedup_queue_test, a_failed_append_starts_over_with_every_copy) {
  send("ann", {"M"});
  send("bob", {"M"});
  fail_appends(*log, 1);
  EXPECT_FALSE(
    ask<items_received>(core, receive_items{q, "worker", 5, 1000, no_cap}));
  advance(2s);
  EXPECT_EQ(polled(q), strings{"M"});
  EXPECT_EQ(size(q), 1u);
}

TEST_F(dedup_queue_test, attached_processors_get_one_copy_too) {
  send("ann", {"M"});
  send("bob", {"M", "N"});
  auto sp = attach_to(q);
  want(sp, 5);
  auto bodies = sp.got->bodies();
  std::sort(bodies.begin(), bodies.end());
  EXPECT_EQ(bodies, (strings{"M", "N"}));
  send("cid", {"M"});
  EXPECT_EQ(sp.got->items.size(), 3u) << "a later copy is another item";
}

TEST_F(dedup_queue_test, size_classes_that_come_later_keep_the_counts) {
  const std::string large(100, 'x');
  send("ann", {large, "M"});
  send("bob", {large, "M"});
  criteria wants;
  wants.size_max = 10;
  auto small = attach_to(q, wants);
  send("cid", {large, "N", "M"});
  EXPECT_EQ(report_of(q).ready, 3u);
  want(small, 10);
  auto bodies = small.got->bodies();
  std::sort(bodies.begin(), bodies.end());
  EXPECT_EQ(bodies, (strings{"M", "N"}));
  EXPECT_EQ(polled(q), strings{large});
  EXPECT_EQ(report_of(q).ready, 0u);
  EXPECT_EQ(size(q), 3u);
}

TEST_F(dedup_queue_test, a_node_that_retires_leaves_no_copies_behind) {
  send("ann", {"M"});
  send("bob", {"M"});
  finish(q, names_of(poll(q)));
  advance(70s);
  advance(70s);
  EXPECT_EQ(size(q), 0u);
  send("bob", {"M"});
  send("ann", {"M"});
  EXPECT_EQ(polled(q), strings{"M"});
  EXPECT_EQ(size(q), 1u);
}

TEST_F(dedup_queue_test, the_mode_of_a_queue_cannot_change) {
  send("ann", {"M"});
  EXPECT_FALSE(change({queue_changed{q, queue_settings{}}}));
  queue_settings same;
  same.dedup = dedup_mode::between_polls;
  same.concurrency = 7;
  EXPECT_TRUE(change({queue_changed{q, same}}));
}

TEST_F(dedup_queue_test, a_configuration_cannot_change_what_a_queue_keeps) {
  queue_settings settings;
  configuration.queues.push_back({"plain", settings});
  restart();
  settings.dedup = dedup_mode::between_polls;
  settings.priority = priority_mode::across_users;
  settings.concurrency = 3;
  configuration.queues.back().settings = settings;
  restart();
  auto control = ask<control_changed>(core, watch_control{nullptr});
  ASSERT_TRUE(control);
  const auto& kept = control->state->queues.at("plain");
  EXPECT_EQ(kept.dedup, dedup_mode::none);
  EXPECT_EQ(kept.priority, priority_mode::within_user);
  EXPECT_EQ(kept.concurrency, 3u) << "the rest changes";
}

/// A thousand random steps against the rules said plainly.
TEST_F(dedup_queue_test, agrees_with_a_plain_list_whatever_happens) {
  struct one {
    std::string body;
    bool deliver = false;
    bool claimed = false;
  };
  std::map<item_name, one, decltype([](const auto& a, const auto& b) {
             return a.id < b.id;
           })>
    live;
  live[name_of(send("ann", {"A"}).at(0), "ann")] = {"A"};
  std::uint32_t seed = 7;
  const auto below = [&](std::uint32_t n) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
  };
  const strings users{"ann", "bob", "cid"};
  for (int step = 0; step < 1000 && !HasFailure(); ++step) {
    SCOPED_TRACE(step);
    switch (below(10)) {
      default: {
        const auto user = users[below(3)];
        const auto body = std::string(1, static_cast<char>('A' + below(4)));
        live[name_of(send(user, {body}).at(0), user)] = {body};
        break;
      }
      case 4:
      case 5:
        for (const auto& x : poll(q, 1 + below(3))) {
          auto& mine = live.at(x.name);
          EXPECT_EQ(*x.body, mine.body);
          EXPECT_FALSE(mine.claimed);
          if (!std::exchange(mine.deliver, true)) {
            for (const auto& [name, y] : live)
              EXPECT_FALSE(!y.deliver && y.body == mine.body
                           && name.id < x.name.id)
                << "not the oldest";
            std::erase_if(live, [&](const auto& y) {
              return !y.second.deliver && y.second.body == mine.body;
            });
          }
          mine.claimed = true;
        }
        break;
      case 6:
      case 7:
        if (!live.empty()) {
          const auto at = std::next(live.begin(), below(live.size()));
          finish(q, {at->first});
          live.erase(at);
        }
        break;
      case 8:
        EXPECT_TRUE(ask<done>(core, release_queue{q}));
        for (auto& [name, x] : live)
          x.claimed = false;
        break;
      case 9:
        if (below(4) == 0)
          restart();
        break;
    }
    EXPECT_EQ(size(q), live.size());
    EXPECT_EQ(claims(q),
              static_cast<std::uint64_t>(
                std::count_if(live.begin(), live.end(), [](const auto& x) {
                  return x.second.claimed;
                })));
    std::map<std::string, int> fresh;
    std::uint64_t ready = 0;
    for (const auto& [name, x] : live)
      if (x.deliver)
        ready += !x.claimed;
      else
        ++fresh[x.body];
    EXPECT_EQ(report_of(q).ready, ready + fresh.size());
  }
}

} // namespace

} // namespace depositd
