// Workers that poll: what they take, end and extend by item.

#include "actors/journal/reply.hpp"
#include "tests/support/polling_fixture.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

class polling_test : public testing::polling_fixture {
protected:
  void SetUp() override {
    start();
  }
};

TEST_F(polling_test, gives_no_more_than_the_claims_that_are_left) {
  put("q", sent_by("ann", {"a", "b", "c", "d", "e"}));
  EXPECT_EQ(poll("q", 2).size(), 2u);
  EXPECT_EQ(poll("q", 100, 30'000, 3).size(), 1u);
  EXPECT_TRUE(poll("q", 100, 30'000, 3).empty());
  EXPECT_EQ(claims("q"), 3u);
}

TEST_F(polling_test, unknown_queues_have_nothing_and_do_not_come_to_be) {
  EXPECT_TRUE(poll("q").empty());
  EXPECT_EQ(size("q"), 0u);
  EXPECT_EQ(claims("q"), 0u);
  EXPECT_EQ(finish("q", {{1, 2}}), std::vector<std::uint8_t>{0});
  renew("q", {{1, 2}}, 1000);
  EXPECT_TRUE(ask<done>(core, release_queue{"q"}));
  auto control = ask<control_changed>(core, watch_control{nullptr});
  EXPECT_EQ(control->state->queues.count("q"), 0u);
}

TEST_F(polling_test, is_refused_where_what_it_takes_is_not_written) {
  put("q", items_of("ann", 1));
  fail_appends(*log, 1);
  const auto taken =
    ask<items_received>(core, receive_items{"q", "worker", 10, 30'000, no_cap});
  EXPECT_EQ(taken.error(), ec::store_failed);
}

TEST_F(polling_test, takes_no_more_than_asked_for_in_the_order_of_arrival) {
  const auto ids = put("q", sent_by("ann", {"a", "b", "c"}));
  const auto first = poll("q", 2);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].name.id, ids[0]);
  EXPECT_EQ(first[0].name.user, digest_of_user("ann"));
  EXPECT_EQ(first[0].user, "ann");
  EXPECT_EQ(*first[0].body, "a");
  EXPECT_EQ(first[0].attempt, 1u);
  EXPECT_EQ(*first[1].body, "b");
  EXPECT_EQ(polled("q"), strings{"c"});
  EXPECT_TRUE(poll("q").empty());
  EXPECT_EQ(claims("q"), 3u);
  EXPECT_EQ(size("q"), 3u);
}

TEST_F(polling_test, shares_a_poll_between_users) {
  put("q", sent_by("ann", {"a1", "a2", "a3", "a4"}));
  put("q", sent_by("bob", {"b1", "b2"}));
  const auto got = poll("q", 4);
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(std::count_if(got.begin(), got.end(),
                          [](const auto& x) { return x.user == "bob"; }),
            2);
}

TEST_F(polling_test, claims_end_with_their_lease_and_keep_their_ids) {
  put("q", sent_by("ann", {"a"}));
  const auto first = poll("q", 1, 2000);
  advance(1999ms);
  EXPECT_TRUE(poll("q").empty());
  advance(1ms);
  EXPECT_EQ(claims("q"), 0u);
  const auto again = poll("q");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].name, first.at(0).name);
  EXPECT_EQ(again[0].attempt, 2u);
}

TEST_F(polling_test, an_ack_needs_no_claim_and_may_come_twice) {
  const auto ids = put("q", sent_by("ann", {"a", "b"}));
  const std::vector both{name_of(ids[0], "ann"), name_of(ids[1], "ann")};
  poll("q", 1);
  EXPECT_EQ(finish("q", both), (std::vector<std::uint8_t>{1, 1}));
  EXPECT_EQ(finish("q", both), (std::vector<std::uint8_t>{0, 0}));
  EXPECT_EQ(size("q"), 0u);
  EXPECT_EQ(claims("q"), 0u);
  EXPECT_TRUE(poll("q").empty());
  EXPECT_EQ(report_of("q").ready, 0u);
}

TEST_F(polling_test, an_ack_after_the_claim_was_lost_ends_the_item_for_all) {
  put("q", sent_by("ann", {"a"}));
  const auto first = poll("q", 1, 1000);
  advance(1s);
  ASSERT_EQ(poll("q", 1, 1000).size(), 1u);
  finish("q", names_of(first));
  EXPECT_EQ(size("q"), 0u);
  EXPECT_EQ(claims("q"), 0u);
  advance(2s);
  EXPECT_TRUE(poll("q").empty());
}

TEST_F(polling_test, acks_of_several_users_are_answered_by_position) {
  const auto a = put("q", sent_by("ann", {"a"})).at(0);
  const auto b = put("q", sent_by("bob", {"b"})).at(0);
  EXPECT_EQ(finish("q", {name_of(a, "bob"), name_of(b, "bob"),
                         name_of(77, "cid"), name_of(a, "ann")}),
            (std::vector<std::uint8_t>{0, 1, 0, 1}));
}

TEST_F(polling_test, other_verdicts_need_a_live_claim) {
  put("q", sent_by("ann", {"a"}));
  const auto got = names_of(poll("q", 1, 1000));
  EXPECT_EQ(finish("q", got, verdict::retry, 5000),
            std::vector<std::uint8_t>{1});
  EXPECT_EQ(finish("q", got, verdict::retry), std::vector<std::uint8_t>{0});
  EXPECT_EQ(size("q"), 1u) << "a delayed item is there";
  EXPECT_EQ(claims("q"), 0u);
  EXPECT_TRUE(poll("q").empty());
  advance(5s);
  const auto again = poll("q");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(finish("q", names_of(again), verdict::failed),
            std::vector<std::uint8_t>{1});
  EXPECT_EQ(size("q"), 0u);
}

TEST_F(polling_test, a_renewal_extends_and_never_shortens) {
  put("q", sent_by("ann", {"a", "b"}));
  const auto got = names_of(poll("q", 2, 2000));
  renew("q", {got[0]}, 1000);
  renew("q", {got[1]}, 10'000);
  advance(1500ms);
  EXPECT_EQ(claims("q"), 2u);
  advance(1s);
  EXPECT_EQ(polled("q", 10, 1000), strings{"a"});
  advance(10s);
  EXPECT_EQ(claims("q"), 0u);
}

TEST_F(polling_test, a_renewal_of_nothing_releases) {
  put("q", sent_by("ann", {"a", "b"}));
  const auto got = names_of(poll("q"));
  renew("q", {got[0]}, 0);
  EXPECT_EQ(claims("q"), 1u);
  EXPECT_EQ(polled("q"), strings{"a"});
}

TEST_F(polling_test, a_renewal_without_a_claim_makes_one) {
  const auto ids = put("q", sent_by("ann", {"a", "b"}));
  renew("q", {name_of(ids[0], "ann")}, 5000);
  EXPECT_EQ(claims("q"), 1u);
  EXPECT_EQ(polled("q", 10, 5000), strings{"b"});
  EXPECT_EQ(report_of("q").ready, 0u);
  advance(5s);
  EXPECT_EQ(polled("q", 10, 5000), (strings{"a", "b"}));
  EXPECT_EQ(claims("q"), 2u);
}

TEST_F(polling_test, a_renewal_of_an_expired_claim_makes_a_new_one) {
  put("q", sent_by("ann", {"a"}));
  const auto got = names_of(poll("q", 1, 1000));
  advance(1s);
  renew("q", got, 1000);
  EXPECT_TRUE(poll("q").empty());
  renew("q", {{got[0].id + 1, got[0].user}}, 1000);
  EXPECT_EQ(claims("q"), 1u) << "an item that is not there has no claim";
}

TEST_F(polling_test, a_renewal_begins_no_claim_that_could_not_be_handed_out) {
  put("q", sent_by("ann", {"a", "b", "c"}));
  const auto got = names_of(poll("q", 3, 1000));
  advance(1s);
  ASSERT_EQ(claims("q"), 0u);
  queue_settings suspended;
  suspended.suspended = true;
  ASSERT_TRUE(change({queue_changed{"q", suspended}}));
  renew("q", got, 5000);
  EXPECT_EQ(claims("q"), 0u) << "suspended";
  ASSERT_TRUE(change({queue_changed{"q", {}}}));
  ASSERT_TRUE(change({user_eligibility_changed{"ann", true, false}}));
  renew("q", got, 5000);
  EXPECT_EQ(claims("q"), 0u) << "held";
  ASSERT_TRUE(change({user_eligibility_changed{"ann", false, false}}));
  ASSERT_TRUE(change({user_limits_changed{"q", "ann", false, 0, true, 2}}));
  renew("q", got, 5000);
  EXPECT_EQ(claims("q"), 2u) << "a cap of two";
  renew("q", got, 9000);
  EXPECT_EQ(claims("q"), 2u) << "those that are there are extended";
  advance(5s);
  EXPECT_EQ(claims("q"), 2u);
  finish("q", {got[0]});
  EXPECT_EQ(polled("q", 10, 1000), strings{"c"}) << "places are free again";
}

TEST_F(polling_test, a_renewal_begins_no_more_claims_than_a_queue_may_have) {
  put("q", sent_by("ann", {"a", "b"}));
  put("q", sent_by("bob", {"c"}));
  const auto got = names_of(poll("q", 3, 1000));
  advance(1s);
  renew_items what{"q", "worker", 5000, got};
  what.claims_max = 2;
  ASSERT_TRUE(ask<done>(core, what));
  EXPECT_EQ(claims("q"), 2u);
  ASSERT_TRUE(ask<done>(core, what));
  EXPECT_EQ(claims("q"), 2u);
}

TEST_F(polling_test, claims_by_id_respect_nobodys_turn_nor_disturb_the_ring) {
  const auto a = put("q", sent_by("ann", {"a1", "a2"}));
  put("q", sent_by("bob", {"b1", "b2"}));
  renew("q", {name_of(a[0], "ann")}, 5000);
  strings users;
  for (int i = 0; i < 3; ++i)
    users.push_back(poll("q", 1).at(0).user);
  EXPECT_EQ(users, (strings{"ann", "bob", "bob"}));
  finish("q", {name_of(a[0], "ann")});
  EXPECT_EQ(claims("q"), 3u);
}

TEST_F(polling_test, unclaiming_all_brings_everything_back) {
  put("q", sent_by("ann", {"a", "b"}));
  put("q", sent_by("bob", {"c"}));
  poll("q", 2);
  EXPECT_EQ(claims("q"), 2u);
  EXPECT_TRUE(ask<done>(core, release_queue{"q"}));
  EXPECT_EQ(claims("q"), 0u);
  EXPECT_EQ(size("q"), 3u);
  EXPECT_EQ(polled("q"), (strings{"a", "b", "c"}));
}

TEST_F(polling_test, takes_nothing_beyond_the_limit_of_claims) {
  put("q", sent_by("ann", {"a", "b", "c"}));
  EXPECT_EQ(poll("q", 10, 1000, 2).size(), 2u);
  EXPECT_TRUE(poll("q", 10, 1000, 2).empty());
  EXPECT_EQ(poll("q", 10, 1000, 3).size(), 1u);
  advance(1s);
  EXPECT_EQ(poll("q", 10, 1000, 1).size(), 1u);
}

TEST_F(polling_test, a_purge_ends_claims_too) {
  put("q", sent_by("ann", {"a", "b"}));
  const auto got = names_of(poll("q", 1));
  purge("q");
  EXPECT_EQ(size("q"), 0u);
  EXPECT_EQ(claims("q"), 0u);
  EXPECT_TRUE(poll("q").empty());
  EXPECT_EQ(finish("q", got), std::vector<std::uint8_t>{0});
  put("q", sent_by("ann", {"c"}));
  EXPECT_EQ(polled("q"), strings{"c"});
}

TEST_F(polling_test, takes_nothing_while_suspended) {
  put("q", sent_by("ann", {"a"}));
  ASSERT_TRUE(change({server_changed{true, true}}));
  EXPECT_TRUE(poll("q").empty());
  ASSERT_TRUE(change({server_changed{false, true}}));
  EXPECT_EQ(poll("q").size(), 1u);
}

TEST_F(polling_test, claims_of_polls_survive_a_restart_until_their_deadline) {
  put("q", sent_by("ann", {"a", "b"}));
  const auto got = names_of(poll("q", 1, 60'000));
  time_us += 1'000'000;
  restart();
  EXPECT_EQ(claims("q"), 1u);
  EXPECT_EQ(polled("q", 10, 1000), strings{"b"});
  finish("q", got);
  EXPECT_EQ(size("q"), 1u);
  restart();
  EXPECT_EQ(size("q"), 1u) << "what was acknowledged stays ended";
}

TEST_F(polling_test, counts_what_is_delayed_and_parked) {
  put("q", sent_by("ann", {"a", "b", "c"}));
  const auto got = poll("q", 1);
  finish("q", names_of(got), verdict::retry, 60'000);
  park_matching what;
  what.queue = "q";
  what.to_us = time_us * 2;
  ASSERT_TRUE(ask<matching_parked>(core, what));
  EXPECT_EQ(report_of("q").ready, 0u);
  EXPECT_EQ(size("q"), 3u);
  EXPECT_EQ(claims("q"), 0u);
}

TEST_F(polling_test, reads_bodies_that_are_not_in_memory) {
  crash();
  body_budget = 3 + memory_budget::beside_body;
  start();
  put("q", sent_by("ann", {"abc", "defg"}));
  EXPECT_EQ(polled("q"), (strings{"abc", "defg"}));
}

TEST_F(polling_test, a_claim_that_was_not_written_is_not_handed_out) {
  put("q", sent_by("ann", {"a"}));
  fail_appends(*log, 1);
  auto refused =
    ask<items_received>(core, receive_items{"q", "worker", 5, 1000, no_cap});
  EXPECT_EQ(refused.error(), ec::store_failed);
  advance(2s);
  const auto got = poll("q");
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].attempt, 1u);
}

/// Requests that wait in an actor which a start-over ends.
TEST_F(polling_test, what_is_lost_in_a_start_over_is_answered_at_once) {
  put("q", sent_by("ann", {"a"}));
  fail_appends(*log, 1);
  auto failing =
    self->request(core, caf::infinite, enqueue{"q", sent_by("bob", {"b"})});
  auto polling = self->request(core, caf::infinite,
                               receive_items{"q", "worker", 5, 1000, no_cap});
  auto ending = self->request(core, caf::infinite, purge_queue{"q"});
  settle();
  advance(2s);
  int errors = 0;
  const auto fails = [&](const caf::error&) { ++errors; };
  ASSERT_TRUE(self->has_next_message());
  failing.receive([](const enqueued&) {}, fails);
  ASSERT_TRUE(self->has_next_message());
  polling.receive([](const items_received&) {}, fails);
  ASSERT_TRUE(self->has_next_message());
  ending.receive([](const done&) {}, fails);
  EXPECT_GE(errors, 1);
  EXPECT_TRUE(ask<done>(core, check_intake{}));
}

TEST_F(polling_test, a_lost_share_makes_an_error_of_the_answer) {
  auto kept = std::make_shared<std::shared_ptr<shared_reply>>();
  auto asked = spawn([=](caf::event_based_actor* me) -> caf::behavior {
    return {[=](int) -> caf::result<int> {
      *kept = std::make_shared<shared_reply>();
      (*kept)->where = journal::take_reply(me);
      (*kept)->shares = 2;
      return journal::answered_later<int>();
    }};
  });
  auto reply = self->request(asked, caf::infinite, 1);
  settle();
  EXPECT_FALSE(self->has_next_message());
  kept->reset();
  ASSERT_TRUE(self->has_next_message());
  caf::error why;
  reply.receive([](int) { ADD_FAILURE() << "an answer"; },
                [&](caf::error& x) { why = std::move(x); });
  EXPECT_EQ(why, ec::store_failed);
}

TEST_F(polling_test, a_lost_pick_makes_an_error_of_the_poll) {
  auto kept = std::make_shared<std::shared_ptr<receive_answer>>();
  auto asked = spawn([=](caf::event_based_actor* me) -> caf::behavior {
    return {[=](int) -> caf::result<items_received> {
      auto where = journal::take_reply(me);
      *kept = std::make_shared<receive_answer>();
      (*kept)->to = where.to;
      (*kept)->id = where.id;
      (*kept)->open = 1;
      return journal::answered_later<items_received>();
    }};
  });
  auto reply = self->request(asked, caf::infinite, 1);
  settle();
  kept->reset();
  ASSERT_TRUE(self->has_next_message());
  caf::error why;
  reply.receive([](const items_received&) { ADD_FAILURE() << "an answer"; },
                [&](caf::error& x) { why = std::move(x); });
  EXPECT_EQ(why, ec::store_failed);
}

TEST_F(polling_test, a_watcher_of_settings_that_ended_is_let_go) {
  auto seen = std::make_shared<int>(0);
  const auto watch = [=](caf::event_based_actor*) -> caf::behavior {
    return {[=](const control_changed&) { ++*seen; }};
  };
  auto watcher = caf::actor_cast<caf::strong_actor_ptr>(sys.spawn(watch));
  ASSERT_TRUE(ask<control_changed>(core, watch_control{watcher}));
  ASSERT_TRUE(change({server_changed{true, true}}));
  EXPECT_EQ(*seen, 1);
  caf::weak_actor_ptr trace{watcher.get()};
  caf::anon_send_exit(caf::actor_cast<caf::actor>(watcher),
                      caf::exit_reason::kill);
  settle();
  watcher = nullptr;
  EXPECT_FALSE(trace.lock());
  ASSERT_TRUE(change({server_changed{false, true}}));
  EXPECT_EQ(*seen, 1);
}

TEST_F(polling_test, who_has_withdrawn_gets_nothing_for_a_pick_that_failed) {
  const auto ids = put("q", sent_by("ann", {"a"}));
  const auto sp = attach_to("q");
  const auto other = attach_to("q");
  // The item ends without a claim while the queue still picks it, and whoever
  // it is picked for looks elsewhere before the user can say so.
  settle_items what;
  what.queue = "q";
  what.items.push_back({name_of(ids[0], "ann"), verdict::done, 0, "", "", ""});
  const auto queue = caf::actor_cast<queue_actor>(sp.door);
  caf::anon_send(queue, what);
  caf::anon_send(queue, settle_and_request{sp.number, 1, {}});
  caf::anon_send(queue, cancel_credit{sp.number});
  settle();
  ASSERT_EQ(size("q"), 0u);
  put("q", sent_by("ann", {"b"}));
  EXPECT_TRUE(sp.got->items.empty());
  want(other, 1);
  ASSERT_EQ(other.got->items.size(), 1u);
  EXPECT_EQ(other.got->items[0].body, "b");
}

TEST_F(polling_test, claims_of_a_key_outlive_a_processor_of_its_name) {
  put("q", sent_by("ann", {"a", "b"}));
  const auto sp = attach_to("q");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  receive_items what;
  what.queue = "q";
  what.taker = "sp";
  what.count = 1;
  what.lease_ms = 60'000;
  const auto got = ask<items_received>(core, what);
  ASSERT_TRUE(got);
  ASSERT_EQ(got->items.size(), 1u);
  EXPECT_TRUE(ask<done>(sp.door, detach{sp.number}));
  EXPECT_EQ(claims("q"), 1u) << "only the processor's has ended";
}

} // namespace

} // namespace depositd
