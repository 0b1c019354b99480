// Doors, shard, queues, nodes and journal together, one message at a time.

#include "tests/support/watched_engine.hpp"

#include <algorithm>

namespace depositd {

namespace {

using testing::engine_fixture;
using strings = std::vector<std::string>;
using namespace std::chrono_literals;

class core_test : public testing::watching<engine_fixture> {
protected:
  void SetUp() override {
    start();
  }
};

std::vector<new_item> joined(std::vector<new_item> a,
                             const std::vector<new_item>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(core_test, hands_out_an_item_with_its_body) {
  const auto ids = put("q", items_of("ann", 1));
  auto sp = attach_to("q");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  EXPECT_EQ(sp.got->items[0].id, ids.at(0));
  EXPECT_EQ(sp.got->items[0].body, "ann-1");
  EXPECT_EQ(sp.got->items[0].attempt, 1u);
}

TEST_F(core_test, wakes_a_processor_that_waits_when_an_item_comes) {
  auto sp = attach_to("q");
  want(sp, 2);
  put("q", items_of("ann", 3));
  EXPECT_EQ(sp.got->bodies(), (strings{"ann-1", "ann-2"}));
}

TEST_F(core_test, gives_every_user_one_turn_after_the_other) {
  put("q", joined(items_of("ann", 3), items_of("bob", 2)));
  auto sp = attach_to("q");
  for (int i = 0; i < 5; ++i)
    want(sp, 1);
  EXPECT_EQ(sp.got->users(), (strings{"ann", "bob", "ann", "bob", "ann"}));
}

TEST_F(core_test, shares_what_is_asked_for_at_once_between_users) {
  put("q", joined(items_of("ann", 9), items_of("bob", 2)));
  auto sp = attach_to("q");
  want(sp, 4);
  auto users =
    sp.got->users(); // in a message, the items of a user are together
  std::sort(users.begin(), users.end());
  EXPECT_EQ(users, (strings{"ann", "ann", "bob", "bob"}));
}

TEST_F(core_test, gives_as_many_items_per_turn_as_the_allocation) {
  put("q", joined(items_of("ann", 4), items_of("bob", 2)));
  ASSERT_TRUE(change({user_limits_changed{"q", "ann", true, 2, false, 0}}));
  auto sp = attach_to("q");
  for (int i = 0; i < 6; ++i)
    want(sp, 1);
  EXPECT_EQ(sp.got->users(),
            (strings{"ann", "ann", "bob", "ann", "ann", "bob"}));
}

TEST_F(core_test, never_exceeds_a_users_concurrency) {
  put("q", items_of("ann", 5));
  ASSERT_TRUE(change({user_limits_changed{"q", "ann", false, 0, true, 2}}));
  auto sp = attach_to("q");
  want(sp, 5);
  ASSERT_EQ(sp.got->items.size(), 2u);
  end(sp, sp.got->items[0]);
  EXPECT_EQ(sp.got->items.size(), 3u);
}

TEST_F(core_test, lets_what_runs_finish_under_a_cap_of_0_and_starts_nothing) {
  put("q", items_of("ann", 3));
  auto sp = attach_to("q");
  want(sp, 2);
  ASSERT_EQ(sp.got->items.size(), 2u);
  ASSERT_TRUE(change({user_limits_changed{"q", "ann", false, 0, true, 0}}));
  end(sp, sp.got->items.at(0), verdict::done, 1);
  end(sp, sp.got->items.at(1), verdict::done, 1);
  EXPECT_EQ(sp.got->settled.size(), 2u);
  for (const auto& x : sp.got->settled)
    EXPECT_TRUE(x.accepted);
  EXPECT_EQ(sp.got->items.size(), 2u);
  ASSERT_TRUE(change({user_limits_changed{"q", "ann", false, 0, false, 0}}));
  EXPECT_EQ(sp.got->items.size(), 3u);
}

TEST_F(core_test, tells_which_outcomes_it_took) {
  put("q", items_of("ann", 1));
  auto sp = attach_to("q");
  want(sp, 1);
  end(sp, sp.got->items.at(0));
  end(sp, sp.got->items.at(0));
  ASSERT_EQ(sp.got->settled.size(), 2u);
  EXPECT_TRUE(sp.got->settled[0].accepted);
  EXPECT_FALSE(sp.got->settled[1].accepted);
  EXPECT_EQ(report_of("q").in_flight, 0u);
}

TEST_F(core_test, gives_a_released_item_to_the_next) {
  put("q", items_of("ann", 1));
  auto first = attach_to("q");
  want(first, 1);
  auto second = attach_to("q");
  want(second, 1);
  end(first, first.got->items.at(0), verdict::release);
  ASSERT_EQ(second.got->items.size(), 1u);
  EXPECT_EQ(second.got->items[0].attempt, 1u) << "a release costs no attempt";
}

TEST_F(core_test, retries_after_the_delay_and_fails_after_the_last_attempt) {
  auto settings = queue_settings{};
  settings.attempts_max = 2;
  settings.retry_delay_ms = 1000;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  put("q", items_of("ann", 1));
  auto sp = attach_to("q");
  want(sp, 3);
  end(sp, sp.got->items.at(0), verdict::retry);
  ASSERT_EQ(sp.got->items.size(), 1u);
  advance(1s);
  ASSERT_EQ(sp.got->items.size(), 2u);
  EXPECT_EQ(sp.got->items[1].attempt, 2u);
  end(sp, sp.got->items[1], verdict::retry);
  advance(10s);
  EXPECT_EQ(sp.got->items.size(), 2u);
  EXPECT_EQ(report_of("q").in_flight, 0u);
}

TEST_F(core_test, takes_back_what_a_dead_processor_held) {
  put("q", items_of("ann", 1));
  auto first = attach_to("q");
  want(first, 1);
  auto second = attach_to("q");
  want(second, 1);
  ASSERT_TRUE(second.got->items.empty());
  caf::anon_send_exit(first.actor, caf::exit_reason::kill);
  settle();
  ASSERT_EQ(second.got->items.size(), 1u);
  EXPECT_EQ(second.got->items[0].attempt, 2u);
}

TEST_F(core_test, takes_back_what_a_processor_held_that_attaches_anew) {
  put("metadata", items_of("ann", 2));
  auto sp = attach_to("metadata");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  const auto before = sp.number;
  const auto again = ask<attached>(sp.door, attach{sp.actor, "sp", {}, 0});
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_NE(again->processor, before);
  EXPECT_EQ(report_of("metadata").processors, 1u);
  EXPECT_EQ(report_of("metadata").in_flight, 0u);
  want(sp, 2);
  EXPECT_EQ(sp.got->items.size(), 1u) << "nobody has that number any more";
  sp.number = again->processor;
  want(sp, 2);
  ASSERT_EQ(sp.got->items.size(), 3u);
  EXPECT_EQ(sp.got->items[1].id, sp.got->items[0].id);
  EXPECT_EQ(sp.got->items[1].attempt, 2u);
}

TEST_F(core_test, takes_it_back_from_each_of_many_users) {
  constexpr std::uint32_t users = 150;
  for (std::uint32_t i = 0; i < users; ++i)
    put("q", items_of("user-" + std::to_string(i), 1));
  auto first = attach_to("q");
  want(first, users);
  ASSERT_EQ(first.got->items.size(), users);
  caf::anon_send_exit(first.actor, caf::exit_reason::kill);
  settle();
  auto second = attach_to("q");
  want(second, users);
  EXPECT_EQ(second.got->items.size(), users);
}

TEST_F(core_test, takes_a_claim_back_when_its_lease_ends) {
  put("q", items_of("ann", 1));
  auto first = attach_to("q", {}, 5000);
  want(first, 1);
  auto second = attach_to("q");
  want(second, 1);
  advance(4s);
  EXPECT_TRUE(second.got->items.empty());
  advance(1s);
  EXPECT_EQ(second.got->items.size(), 1u);
  end(first, first.got->items.at(0));
  EXPECT_FALSE(first.got->settled.at(0).accepted) << "the token is old";
}

TEST_F(core_test, extends_a_claim_that_is_touched) {
  put("q", items_of("ann", 1));
  auto first = attach_to("q", {}, 5000);
  want(first, 1);
  advance(4s);
  const auto& held = first.got->items.at(0);
  caf::anon_send(
    first.door,
    renew_claims{first.number, {{held.id, held.token, held.member}}});
  settle();
  auto second = attach_to("q");
  want(second, 1);
  advance(4s);
  EXPECT_TRUE(second.got->items.empty());
  advance(2s);
  EXPECT_EQ(second.got->items.size(), 1u);
}

TEST_F(core_test, hands_out_nothing_while_suspended_and_goes_on_after) {
  auto sp = attach_to("q");
  want(sp, 2);
  ASSERT_TRUE(change({server_changed{true, true}}));
  put("q", items_of("ann", 2));
  EXPECT_TRUE(sp.got->items.empty());
  ASSERT_TRUE(change({server_changed{false, true}}));
  EXPECT_EQ(sp.got->items.size(), 2u);
}

TEST_F(core_test, holds_and_releases_a_user_with_what_is_queued) {
  put("q", joined(items_of("ann", 1), items_of("bob", 1)));
  ASSERT_TRUE(change({user_eligibility_changed{"ann", true, false}}));
  auto sp = attach_to("q");
  want(sp, 2);
  EXPECT_EQ(sp.got->users(), strings{"bob"});
  ASSERT_TRUE(change({user_eligibility_changed{"ann", false, false}}));
  EXPECT_EQ(sp.got->users(), (strings{"bob", "ann"}));
}

TEST_F(core_test, hands_prohibited_users_to_those_who_require_them) {
  put("q", joined(items_of("ann", 1), items_of("bob", 1)));
  ASSERT_TRUE(change({user_eligibility_changed{"ann", false, true}}));
  auto any = attach_to("q");
  want(any, 2);
  criteria wants;
  wants.required = {"ann"};
  auto dedicated = attach_to("q", wants);
  want(dedicated, 2);
  EXPECT_EQ(any.got->users(), strings{"bob"});
  EXPECT_EQ(dedicated.got->users(), strings{"ann"});
}

TEST_F(core_test, keeps_large_items_from_small_processors) {
  put("q", {{"ann", 0, std::string(100, 'x')}, {"ann", 0, "small"}});
  criteria wants;
  wants.size_max = 10;
  auto small = attach_to("q", wants);
  want(small, 2);
  EXPECT_EQ(small.got->bodies(), strings{"small"});
  auto any = attach_to("q");
  want(any, 2);
  EXPECT_EQ(any.got->items.size(), 1u);
}

TEST_F(core_test, refuses_items_beyond_the_pending_limit_by_position) {
  auto settings = queue_settings{};
  settings.pending_limit = 2;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  auto reply = ask<enqueued>(
    door, enqueue{"q", joined(items_of("ann", 3), items_of("bob", 1))});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->refused, 1u);
  EXPECT_NE(reply->ids[1], 0u);
  EXPECT_EQ(reply->ids[2], 0u);
  EXPECT_NE(reply->ids[3], 0u) << "another user's items are not affected";
}

TEST_F(core_test, refuses_names_and_sizes_that_no_door_may_let_in) {
  EXPECT_FALSE(ask<enqueued>(door, enqueue{"Q!", items_of("ann", 1)}));
  EXPECT_FALSE(ask<enqueued>(door, enqueue{"q", items_of("a/b", 1)}));
  EXPECT_FALSE(ask<enqueued>(door, enqueue{"q", {{"ann", 100, "x"}}}));
  EXPECT_FALSE(ask<enqueued>(
    door,
    enqueue{"q", {{"ann", 0, std::string(inline_body_bytes_max + 1, 'x')}}}));
}

TEST_F(core_test, keeps_the_last_of_the_disk_for_what_makes_room) {
  put("q", items_of("ann", 3));
  disk->full = true;
  const auto refused = ask<enqueued>(door, enqueue{"q", items_of("ann", 1)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::overloaded);
  EXPECT_NE(render(refused.error()).find("disk"), std::string::npos);
  auto sp = attach_to("q");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  end(sp, sp.got->items[0]);
  EXPECT_EQ(sp.got->settled.size(), 1u);
  EXPECT_TRUE(change({user_eligibility_changed{"ann", true, false}}));
  EXPECT_TRUE(ask<done>(core, purge_queue{"q"}));
  EXPECT_EQ(report_of("q").ready, 0u);
  disk->full = false;
  put("q", items_of("ann", 1));
}

TEST_F(core_test, says_that_it_recovers_and_not_that_there_is_nothing) {
  put("q", items_of("ann", 1));
  fail_appends(*log, 1);
  ASSERT_FALSE(ask<enqueued>(door, enqueue{"q", items_of("ann", 1)}));
  const auto queues = ask<queues_listed>(core, list_queues{});
  ASSERT_FALSE(queues);
  EXPECT_NE(render(queues.error()).find("recovering"), std::string::npos);
  EXPECT_FALSE(ask<users_listed>(core, list_users{"q"}));
  EXPECT_FALSE(ask<item_explained>(core, explain_item{1, "ann"}));
  advance(2s);
  EXPECT_EQ(report_of("q").ready, 1u);
}

TEST_F(core_test, answers_nothing_before_the_commit) {
  fail_appends(*log, 1);
  auto reply = ask<enqueued>(door, enqueue{"q", items_of("ann", 1)});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error(), ec::store_failed);
  advance(2s); // the shard starts over from the store
  auto sp = attach_to("q");
  want(sp, 1);
  EXPECT_TRUE(sp.got->items.empty()) << "what was refused never happened";
  put("q", items_of("ann", 1));
  EXPECT_EQ(sp.got->items.size(), 1u);
}

TEST_F(core_test, hands_out_nothing_whose_claim_was_not_written) {
  put("q", items_of("ann", 1));
  auto sp = attach_to("q");
  fail_appends(*log, 1);
  want(sp, 1);
  EXPECT_TRUE(sp.got->items.empty());
  advance(2s);
  auto again = attach_to("q");
  want(again, 1);
  ASSERT_EQ(again.got->items.size(), 1u);
  EXPECT_EQ(again.got->items[0].attempt, 1u);
}

TEST_F(core_test, calls_no_claim_ended_before_that_is_durable) {
  put("q", items_of("ann", 1));
  auto sp = attach_to("q");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  const auto x = sp.got->items[0];
  fail_appends(*log, 1);
  caf::anon_send(sp.door, settle_and_request{sp.number, 0, {outcome_of(x)}});
  auto again = self->request(
    sp.door, caf::infinite,
    attach{sp.actor, "sp again", {}, 60'000, {{x.id, x.token, x.user}}});
  settle();
  ASSERT_TRUE(self->has_next_message());
  again.receive(
    [](const attached& is) {
      ASSERT_EQ(is.members.size(), 1u);
      EXPECT_NE(is.members[0], no_member) << "what never happened was told";
    },
    [](const caf::error&) {});
}

TEST_F(core_test, reads_bodies_beyond_the_budget_from_the_journal) {
  crash();
  body_budget = 6 + memory_budget::beside_body;
  start();
  put("q", items_of("ann", 3));
  auto sp = attach_to("q");
  want(sp, 3);
  auto bodies = sp.got->bodies();
  std::sort(bodies.begin(), bodies.end());
  EXPECT_EQ(bodies, (strings{"ann-1", "ann-2", "ann-3"}));
}

TEST_F(core_test, retires_an_idle_node_and_remembers_where_it_stood) {
  auto sp = attach_to("q");
  put("q", items_of("ann", 1));
  want(sp, 1);
  end(sp, sp.got->items.at(0));
  advance(70s);
  advance(40s);
  auto users = ask<users_listed>(core, list_users{"q"});
  ASSERT_TRUE(users);
  EXPECT_TRUE(users->queues.at(0).entries.empty());
  put("q", items_of("ann", 1));
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 2u);
  EXPECT_EQ(sp.got->items[1].member, sp.got->items[0].member)
    << "numbers are given again";
}

TEST_F(core_test, nobody_is_sent_to_a_node_that_left_late) {
  auto sp = attach_to("q");
  for (std::size_t steps = 0; steps < 12; ++steps) {
    SCOPED_TRACE(steps);
    const auto user = "user" + std::to_string(steps);
    put("q", items_of(user, 1));
    want(sp, 1);
    ASSERT_EQ(sp.got->items.size(), 2 * steps + 1);
    end(sp, sp.got->items.back());
    // The engine stands still while the node is asked whether it leaves.
    sched.advance_time(61s);
    settle(steps);
    sched.advance_time(31s);
    settle();
    put("q", items_of(user, 1));
    want(sp, 1);
    ASSERT_EQ(sp.got->items.size(), 2 * steps + 2);
    end(sp, sp.got->items.back());
  }
}

TEST_F(core_test, shows_whose_turn_is_next_and_where_somebody_stands) {
  put("q", joined(items_of("ann", 2), items_of("bob", 1)));
  const auto ring_of = [&](const std::string& user) {
    const auto shown = ask<rings_shown>(core, show_rings{"q", user, 1});
    EXPECT_TRUE(shown);
    return shown ? shown->rings.at(0) : ring_report{};
  };
  auto ring = ring_of("");
  ASSERT_EQ(ring.in_turn.size(), 1u);
  EXPECT_EQ(ring.in_turn[0].user, "ann");
  EXPECT_EQ(ring.eligible_users, 2u);
  EXPECT_EQ(ring.finished_per_hour, 0u);
  ring = ring_of("bob");
  ASSERT_EQ(ring.in_turn.size(), 1u);
  EXPECT_EQ(ring.in_turn[0].report.turn, 2u);
  EXPECT_TRUE(ring_of("eve").in_turn.empty());
  EXPECT_EQ(ask<rings_shown>(core, show_rings{"nosuch", "", 1}).error(),
            ec::not_found);
  auto sp = attach_to("q");
  want(sp, 1);
  end(sp, sp.got->items.at(0));
  ring = ring_of("");
  EXPECT_EQ(ring.in_turn.at(0).user, "bob");
  EXPECT_EQ(ring.finished_per_hour, 60u);
}

TEST_F(core_test, parks_what_was_received_in_a_range_and_takes_it_back) {
  put("q", joined(items_of("ann", 2), items_of("bob", 1)));
  park_matching what;
  what.users = {"ann"};
  what.to_us = time_us * 2;
  what.count_only = true;
  EXPECT_EQ(ask<matching_parked>(core, what)->count, 2u);
  what.count_only = false;
  EXPECT_EQ(ask<matching_parked>(core, what)->count, 2u);
  auto sp = attach_to("q");
  want(sp, 3);
  EXPECT_EQ(sp.got->users(), strings{"bob"});
  what.parked = false;
  EXPECT_EQ(ask<matching_parked>(core, what)->count, 2u);
  EXPECT_EQ(sp.got->users(), (strings{"bob", "ann", "ann"}));
}

TEST_F(core_test, purges_a_queue_with_what_is_claimed) {
  put("q", items_of("ann", 3));
  auto sp = attach_to("q");
  want(sp, 1);
  ASSERT_TRUE(ask<done>(core, purge_queue{"q"}));
  const auto report = report_of("q");
  EXPECT_EQ(report.ready, 0u);
  EXPECT_EQ(report.in_flight, 0u);
  end(sp, sp.got->items.at(0));
  EXPECT_FALSE(sp.got->settled.at(0).accepted);
}

TEST_F(core_test, explains_whose_turn_it_is) {
  put("q", joined(items_of("ann", 1), items_of("bob", 2)));
  const auto ids = put("q", items_of("cas", 1));
  auto why = ask<item_explained>(core, explain_item{ids.at(0), "cas"});
  ASSERT_TRUE(why);
  EXPECT_TRUE(why->live);
  EXPECT_EQ(why->member.report.state, eligibility::eligible);
  EXPECT_EQ(why->member.report.turn, 3u);
  EXPECT_EQ(why->member.report.length, 3u);
  EXPECT_EQ(why->member.processors_matching, 0u);
}

} // namespace

} // namespace depositd
