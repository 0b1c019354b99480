#include "actors/rules/ledger.hpp"

#include "tests/actors/rules/ledger_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace depositd {
namespace {

using namespace testing;
using rules::taker_terms;

using ids = std::vector<item_id>;

using accepting = ledger_fixture;
using choosing = ledger_fixture;
using settling = ledger_fixture;
using parking = ledger_fixture;
using ending_all = ledger_fixture;
using bodies_of = ledger_fixture;
using looking = ledger_fixture;
using changes = ledger_fixture;

// -- accepting ----------------------------------------------------------------

TEST_F(accepting, says_all_that_is_known_of_an_item) {
  auto item = with_body(an_item(7), "bytes");
  item.priority = 3;
  item.size = 99;
  item.digest = 5;
  item.kind = body_kind::blob;
  const auto events = books.accept({item}, now);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0], (item_enqueued{
                         7, "q", 3, 99, now, 5, body_kind::blob, "bytes", {}}));
}

TEST_F(accepting, changes_nothing_before_it_is_applied) {
  (void)books.accept({an_item(1)}, now);
  EXPECT_TRUE(books.idle());
}

TEST_F(accepting, refuses_what_exceeds_the_pending_limit) {
  settings.pending_limit = 2;
  configure();
  EXPECT_EQ(put({an_item(1), an_item(2), an_item(3)}), (ids{1, 2}));
  EXPECT_EQ(refused, ids{3});
  EXPECT_EQ(books.room(), 0u);
}

TEST_F(accepting, does_not_count_claimed_items_against_the_limit) {
  settings.pending_limit = 2;
  configure();
  put({an_item(1), an_item(2)});
  claim();
  EXPECT_EQ(put({an_item(3), an_item(4)}), ids{3});
}

TEST_F(accepting, counts_parked_and_delayed_items_against_the_limit) {
  settings.pending_limit = 2;
  configure();
  put({an_item(1), an_item(2)});
  settle(claim()->item, verdict::not_yet, 1000);
  apply(books.park({2}, true));
  EXPECT_EQ(state_of(1), item_state::delayed);
  EXPECT_EQ(state_of(2), item_state::parked);
  EXPECT_TRUE(put({an_item(3)}).empty());
}

TEST_F(accepting, has_no_room_below_zero_when_claims_come_back) {
  settings.pending_limit = 1;
  configure();
  put({an_item(1)});
  const auto first = claim();
  put({an_item(2)});
  settle(first->item, verdict::release);
  EXPECT_EQ(books.pending(), 2u);
  EXPECT_EQ(books.room(), 0u);
}

TEST_F(accepting, has_all_the_room_without_a_limit) {
  EXPECT_EQ(books.room(), std::numeric_limits<std::uint64_t>::max());
}

TEST_F(accepting, swallows_what_is_pending_already) {
  settings.dedup = dedup_mode::while_pending;
  configure();
  EXPECT_EQ(put({with_digest(an_item(1), 5), with_digest(an_item(2), 5),
                 with_digest(an_item(3), 6)}),
            (ids{1, 3}));
  EXPECT_TRUE(put({with_digest(an_item(4), 6)}).empty());
  EXPECT_TRUE(refused.empty());
}

TEST_F(accepting, takes_an_equal_payload_once_the_other_is_claimed) {
  settings.dedup = dedup_mode::while_pending;
  configure();
  put({with_digest(an_item(1), 5)});
  const auto first = claim();
  EXPECT_EQ(put({with_digest(an_item(2), 5)}), ids{2});
  settle(first->item, verdict::release); // now there are two of them
  EXPECT_EQ(claim_id(), 1u);
  EXPECT_TRUE(put({with_digest(an_item(3), 5)}).empty());
  EXPECT_EQ(claim_id(), 2u);
  EXPECT_EQ(put({with_digest(an_item(4), 5)}), ids{4});
}

TEST_F(accepting, swallows_duplicates_even_without_room) {
  settings.dedup = dedup_mode::while_pending;
  settings.pending_limit = 1;
  configure();
  put({with_digest(an_item(1), 5), with_digest(an_item(2), 6),
       with_digest(an_item(3), 5)});
  EXPECT_EQ(refused, ids{2});
}

TEST_F(accepting, never_takes_items_without_a_digest_for_equal) {
  settings.dedup = dedup_mode::while_pending;
  configure();
  EXPECT_EQ(put({an_item(1), an_item(2)}), (ids{1, 2}));
}

TEST_F(accepting, learns_the_digests_when_dedup_is_switched_on) {
  put({with_digest(an_item(1), 5), with_digest(an_item(2), 6)});
  apply(books.park({2}, true));
  settings.dedup = dedup_mode::while_pending;
  configure();
  EXPECT_TRUE(
    put({with_digest(an_item(3), 5), with_digest(an_item(4), 6)}).empty());
}

// -- choosing -----------------------------------------------------------------

TEST_F(choosing, takes_the_oldest_of_the_best_priority) {
  put({with_priority(an_item(1), 9), with_priority(an_item(2), 5),
       with_priority(an_item(3), 5)});
  EXPECT_EQ(claim_id(), 2u);
  EXPECT_EQ(claim_id(), 3u);
  EXPECT_EQ(claim_id(), 1u);
  EXPECT_EQ(claim_id(), 0u);
}

TEST_F(choosing, keeps_to_the_classes_of_the_pick) {
  classes.add(100);
  configure();
  put({with_size(an_item(1), 101), with_size(an_item(2), 100)});
  pick small;
  small.class_max = 0;
  EXPECT_EQ(claim_id(small), 2u);
  EXPECT_EQ(claim_id(small), 0u);
  EXPECT_EQ(claim_id(), 1u);
}

TEST_F(choosing, takes_the_oldest_over_all_classes_that_fit) {
  classes.add(100);
  configure();
  put({with_size(an_item(1), 500), with_size(an_item(2), 50)});
  EXPECT_EQ(claim_id(), 1u);
}

TEST_F(choosing, prefers_priority_over_class) {
  classes.add(100);
  configure();
  put({with_size(with_priority(an_item(1), 4), 50),
       with_size(with_priority(an_item(2), 2), 500)});
  EXPECT_EQ(claim_id(), 2u);
}

TEST_F(choosing, keeps_to_the_band_of_the_pick_across_users) {
  settings.priority = priority_mode::across_users;
  configure();
  put({with_priority(an_item(1), 1), with_priority(an_item(2), 7)});
  auto what = any_item();
  what.band = 7;
  EXPECT_EQ(claim_id(what), 2u);
  EXPECT_EQ(claim_id(what), 0u);
  what.band = 0;
  EXPECT_EQ(claim_id(what), 0u);
  what.band = 1;
  EXPECT_EQ(claim_id(what), 1u);
}

TEST_F(choosing, tells_the_journal_and_the_processor_the_same) {
  books.raise_tokens(1000);
  auto item = with_priority(an_item(5), 2);
  item.kind = body_kind::blob;
  put({with_body(item, "sha")});
  auto what = any_item();
  what.member = 12;
  what.by = pick_kind::preferred;
  what.stamp = 33;
  what.credit = 4;
  const auto chosen = books.choose(what, {"sp-1", 77, true}, 50);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->claim, (item_claimed{5, "q", 1001, 1, 50, 77, 33, 4,
                                         pick_kind::preferred, true, "sp-1"}));
  EXPECT_EQ(chosen->item, (claimed_item{5, 1001, 12, 1, 2, body_kind::blob, now,
                                        77, "", ""}));
  ASSERT_TRUE(chosen->body);
  EXPECT_EQ(*chosen->body, "sha");
}

TEST_F(choosing, gives_every_claim_a_token_of_its_own) {
  put({an_item(1)});
  const auto first = claim();
  settle(first->item, verdict::release);
  const auto second = claim();
  EXPECT_GT(second->item.token, first->item.token);
}

TEST_F(choosing, never_goes_back_to_lower_tokens) {
  books.raise_tokens(1000);
  books.raise_tokens(10);
  put({an_item(1)});
  EXPECT_EQ(claim()->item.token, 1001u);
}

TEST_F(choosing, leaves_delayed_and_parked_items_alone) {
  put({an_item(1), an_item(2)});
  settle(claim()->item, verdict::retry, 1000);
  apply(books.park({2}, true));
  EXPECT_EQ(claim_id(), 0u);
}

TEST_F(choosing, gives_an_item_that_came_back_its_old_place) {
  put({an_item(1), an_item(2), an_item(3)});
  const auto first = claim();
  const auto second = claim();
  settle(second->item, verdict::release);
  settle(first->item, verdict::release);
  EXPECT_EQ(claim_id(), 1u);
  EXPECT_EQ(claim_id(), 2u);
  EXPECT_EQ(claim_id(), 3u);
}

TEST_F(choosing, sees_items_in_their_new_classes) {
  put({with_size(an_item(1), 500), with_size(an_item(2), 50)});
  classes.add(100);
  configure();
  pick small;
  small.class_max = 0;
  EXPECT_EQ(claim_id(small), 2u);
  EXPECT_EQ(claim_id(small), 0u);
}

// -- settling -----------------------------------------------------------------

TEST_F(settling, done_ends_the_item_with_its_results) {
  put({an_item(1)});
  const auto x = claim()->item;
  const auto e = books.settle({.id = 1,
                               .token = x.token,
                               .says = verdict::done,
                               .reason = "fine",
                               .batch_id = "b",
                               .document = "<d/>"},
                              now);
  ASSERT_TRUE(e);
  EXPECT_EQ(std::get<item_finished>(*e),
            (item_finished{1, "q", ending::done, now, "fine", "b", "<d/>"}));
  books.apply(*e);
  EXPECT_TRUE(books.idle());
}

TEST_F(settling, failed_ends_the_item_at_the_first_attempt) {
  put({an_item(1)});
  const auto e = settle(claim()->item, verdict::failed);
  EXPECT_EQ(std::get<item_finished>(e).how, ending::failed);
  EXPECT_TRUE(books.idle());
}

TEST_F(settling, retry_delays_by_the_policy_of_the_queue) {
  settings.retry_delay_ms = 10;
  settings.retry_delay_ms_max = 25;
  configure();
  put({an_item(1)});
  for (const micros delay_ms : {10, 20, 25, 25}) {
    const auto e = settle(claim()->item, verdict::retry);
    const auto due = now + delay_ms * 1000;
    EXPECT_EQ(std::get<item_released>(e).available_us, due);
    EXPECT_EQ(books.next_due(), due);
    books.wake(due - 1);
    EXPECT_EQ(state_of(1), item_state::delayed);
    books.wake(due);
    EXPECT_EQ(state_of(1), item_state::pending);
  }
  EXPECT_EQ(claim()->item.attempt, 5u);
}

TEST_F(settling, retry_takes_the_delay_that_the_processor_asks_for) {
  put({an_item(1)});
  const auto e = settle(claim()->item, verdict::retry, 7);
  EXPECT_EQ(std::get<item_released>(e).available_us, now + 7000);
}

TEST_F(settling, retry_fails_once_the_attempts_are_used_up) {
  settings.attempts_max = 2;
  configure();
  put({an_item(1)});
  settle(claim()->item, verdict::retry, 1);
  books.wake(now + 1000);
  const auto e = settle(claim()->item, verdict::retry, 1);
  ASSERT_TRUE(std::holds_alternative<item_finished>(e));
  EXPECT_EQ(std::get<item_finished>(e).how, ending::failed);
  EXPECT_EQ(std::get<item_finished>(e).reason, "attempts exhausted (2)");
}

TEST_F(settling, retry_fails_with_the_reason_of_the_processor_if_it_has_one) {
  settings.attempts_max = 1;
  configure();
  put({an_item(1)});
  const auto x = claim()->item;
  const auto e = books.settle(
    {.id = 1, .token = x.token, .says = verdict::retry, .reason = "no disk"},
    now);
  ASSERT_TRUE(e);
  EXPECT_EQ(std::get<item_finished>(*e).reason, "no disk");
}

TEST_F(settling, not_yet_costs_no_attempt) {
  settings.attempts_max = 1;
  settings.retry_delay_ms = 3;
  configure();
  put({an_item(1)});
  for (int i = 0; i < 5; ++i) {
    const auto x = claim();
    ASSERT_TRUE(x);
    EXPECT_EQ(x->item.attempt, 1u);
    const auto e = settle(x->item, verdict::not_yet);
    EXPECT_EQ(std::get<item_released>(e),
              (item_released{1, "q", 0, now + 3000, ""}));
    now += 3000;
    books.wake(now);
  }
}

TEST_F(settling, not_yet_without_any_delay_is_pending_at_once) {
  settings.retry_delay_ms = 0;
  configure();
  put({an_item(1)});
  settle(claim()->item, verdict::not_yet);
  EXPECT_EQ(state_of(1), item_state::pending);
}

TEST_F(settling, release_is_pending_at_once_and_costs_no_attempt) {
  put({an_item(1)});
  const auto e = settle(claim()->item, verdict::release);
  EXPECT_EQ(std::get<item_released>(e), (item_released{1, "q", 0, never, ""}));
  EXPECT_EQ(claim()->item.attempt, 1u);
}

TEST_F(settling, twice_is_refused_and_changes_nothing) {
  put({an_item(1), an_item(2)});
  const auto x = claim()->item;
  settle(x, verdict::release);
  const auto before = books.items();
  const auto e = books.settle({.id = 1, .token = x.token}, now);
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error(), ec::stale_claim);
  EXPECT_EQ(books.items(), before);
}

TEST_F(settling, under_an_older_claim_never_ends_the_newer) {
  put({an_item(1)});
  const auto older = claim()->item;
  settle(older, verdict::release);
  const auto newer = claim()->item;
  for (const auto token : {older.token, newer.token + 1, claim_token{0}}) {
    const auto e = books.settle({.id = 1, .token = token}, now);
    ASSERT_FALSE(e);
    EXPECT_EQ(e.error(), ec::stale_claim);
  }
  EXPECT_TRUE(books.settle({.id = 1, .token = newer.token}, now));
}

TEST_F(settling, with_a_verdict_out_of_range_is_refused) {
  put({an_item(1)});
  const auto x = claim()->item;
  const auto e = books.settle(
    {.id = 1, .token = x.token, .says = static_cast<verdict>(99)}, now);
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error(), ec::invalid_argument);
}

TEST_F(settling, by_item_id_works_in_every_state) {
  put({an_item(1), an_item(2), an_item(3), an_item(4)});
  claim();
  settle(claim()->item, verdict::retry, 50);
  apply(books.park({3}, true));
  for (const item_id id : {1, 2, 3, 4}) {
    const auto e = books.finish(id, now);
    ASSERT_TRUE(e);
    EXPECT_EQ(std::get<item_finished>(*e),
              (item_finished{id, "q", ending::done, now, "", "", ""}));
    books.apply(*e);
    EXPECT_EQ(books.finish(id, now).error(), ec::not_found);
  }
  EXPECT_TRUE(books.idle());
  EXPECT_EQ(books.next_due(), never);
}

TEST_F(settling, extends_a_deadline_but_never_shortens_it) {
  put({an_item(1)});
  const auto x = claim(any_item(), {"sp", 500, false})->item;
  const auto extend = [&](micros to) {
    const auto e = books.extend(1, x.token, to);
    EXPECT_TRUE(e);
    books.apply(*e);
    return books.find(1)->deadline_us;
  };
  EXPECT_EQ(extend(700), 700);
  EXPECT_EQ(extend(600), 700);
  EXPECT_EQ(books.next_due(), 700);
  EXPECT_EQ(extend(never), never);
  EXPECT_EQ(extend(900), never);
  EXPECT_EQ(books.next_due(), never);
}

TEST_F(settling, extends_nothing_for_another_token) {
  put({an_item(1)});
  EXPECT_EQ(books.extend(1, 1, 9).error(), ec::stale_claim);
  const auto x = claim()->item;
  EXPECT_EQ(books.extend(1, x.token + 1, 9).error(), ec::stale_claim);
}

// -- claims that end by themselves --------------------------------------------

TEST_F(ending_all, claims_past_their_deadline_are_pending_again) {
  put({an_item(1), an_item(2), an_item(3)});
  claim(any_item(), {"a", 100, false});
  claim(any_item(), {"b", 200, false});
  claim(any_item(), {"c", never, false});
  EXPECT_EQ(books.next_due(), 100);
  EXPECT_TRUE(books.expire(99).empty());
  const auto events = books.expire(100);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<item_released>(events[0]),
            (item_released{1, "q", 1, never, "claim expired"}));
  apply(events);
  EXPECT_EQ(state_of(1), item_state::pending);
  EXPECT_EQ(books.next_due(), 200);
  EXPECT_TRUE(books.expire(100).empty());
}

TEST_F(ending_all, expiry_follows_the_extended_deadline) {
  put({an_item(1)});
  const auto x = claim(any_item(), {"a", 100, false})->item;
  books.apply(*books.extend(1, x.token, 300));
  EXPECT_TRUE(books.expire(299).empty());
  EXPECT_EQ(books.expire(300).size(), 1u);
}

TEST_F(ending_all, expiry_ends_an_item_without_attempts) {
  settings.attempts_max = 1;
  configure();
  put({an_item(1)});
  claim(any_item(), {"a", 100, false});
  const auto events = books.expire(150);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<item_finished>(events[0]),
            (item_finished{1, "q", ending::failed, 150,
                           "attempts exhausted (1): claim expired", "", ""}));
}

TEST_F(ending_all, releases_what_a_processor_holds) {
  put({an_item(1), an_item(2), an_item(3)});
  claim(any_item(), {"a", never, false});
  claim(any_item(), {"b", never, false});
  claim(any_item(), {"a", never, true});
  apply(books.release_claims("a", now));
  EXPECT_EQ(state_of(1), item_state::pending);
  EXPECT_EQ(state_of(2), item_state::claimed);
  EXPECT_EQ(state_of(3), item_state::pending);
  apply(books.release_claims("", now));
  EXPECT_EQ(books.claims(), 0u);
}

TEST_F(ending_all, a_restart_releases_claims_inside_the_engine_alone) {
  put({an_item(1), an_item(2)});
  claim(any_item(), {"inside", never, true});
  claim(any_item(), {"elsewhere", 900, false});
  const auto events = books.release_local_claims(now);
  ASSERT_EQ(events.size(), 1u);
  apply(events);
  EXPECT_EQ(state_of(1), item_state::pending);
  EXPECT_EQ(state_of(2), item_state::claimed);
}

TEST_F(ending_all, an_item_that_kills_its_processor_runs_out_of_attempts) {
  settings.attempts_max = 3;
  configure();
  put({an_item(1)});
  for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
    const auto x = claim(any_item(), {"sp", never, true});
    ASSERT_TRUE(x);
    EXPECT_EQ(x->item.attempt, attempt);
    apply(books.release_local_claims(now));
  }
  EXPECT_TRUE(books.idle());
}

TEST_F(ending_all, purge_ends_every_item_in_every_state) {
  put({an_item(1), an_item(2), an_item(3), an_item(4)});
  claim();
  settle(claim()->item, verdict::retry, 50);
  apply(books.park({3}, true));
  const auto events = books.purge(now);
  ASSERT_EQ(events.size(), 4u);
  for (item_id id = 1; id <= 4; ++id)
    EXPECT_EQ(std::get<item_finished>(events[id - 1]),
              (item_finished{id, "q", ending::purged, now, "purged", "", ""}));
  apply(events);
  EXPECT_TRUE(books.idle());
  EXPECT_EQ(books.pending(), 0u);
  EXPECT_EQ(books.parked(), 0u);
}

// -- parking ------------------------------------------------------------------

TEST_F(parking, sets_ready_and_delayed_items_aside_but_not_claimed_ones) {
  put({an_item(1), an_item(2), an_item(3)});
  claim();
  settle(claim()->item, verdict::retry, 50);
  const auto events = books.park({1, 2, 3, 3, 99}, true);
  EXPECT_EQ(events, (std::vector<event>{item_parked{2, "q", true},
                                        item_parked{3, "q", true}}));
  apply(events);
  EXPECT_EQ(books.parked(), 2u);
  EXPECT_EQ(books.pending(), 2u);
  EXPECT_EQ(books.next_due(), never);
  EXPECT_TRUE(books.park({1, 2, 3}, true).empty());
}

TEST_F(parking, gives_an_item_its_place_back) {
  put({an_item(1), an_item(2)});
  apply(books.park({1}, true));
  EXPECT_TRUE(books.park({2}, false).empty());
  apply(books.park({1}, false));
  EXPECT_EQ(books.parked(), 0u);
  EXPECT_EQ(claim_id(), 1u);
}

// -- bodies -------------------------------------------------------------------

TEST_F(bodies_of, items_stay_until_they_have_a_place) {
  put({with_body(an_item(1), "12345")});
  EXPECT_EQ(books.drop_body(1), 0u);
  ASSERT_TRUE(books.body(1));
  books.set_place(1, {3, 4, 5});
  EXPECT_EQ(books.drop_body(1), 5u);
  EXPECT_FALSE(books.body(1));
  EXPECT_EQ(books.drop_body(1), 0u);
  const auto x = claim();
  EXPECT_FALSE(x->body);
  EXPECT_EQ(x->place, (body_place{3, 4, 5}));
}

TEST_F(bodies_of, claimed_and_parked_items_have_places_too) {
  put({with_body(an_item(1), "1"), with_body(an_item(2), "22")});
  claim();
  apply(books.park({2}, true));
  for (const item_id id : {1, 2}) {
    books.set_place(id, {9, 0, 1});
    EXPECT_EQ(books.place(id), (body_place{9, 0, 1}));
    EXPECT_EQ(books.drop_body(id), id);
  }
}

TEST_F(bodies_of, unknown_items_are_nowhere) {
  books.set_place(1, {3, 4, 5});
  EXPECT_EQ(books.place(1), body_place{});
  EXPECT_FALSE(books.body(1));
  EXPECT_EQ(books.drop_body(1), 0u);
}

TEST_F(bodies_of, relocated_items_have_the_new_place) {
  put({with_body(an_item(1), "1")});
  books.set_place(1, {3, 4, 1});
  books.apply(event{body_relocated{1, "q", "1", {}}});
  EXPECT_EQ(books.place(1), (body_place{3, 4, 1})) << "not committed yet";
  books.apply(event{body_relocated{1, "q", "", {8, 2, 1}}});
  EXPECT_EQ(books.place(1), (body_place{8, 2, 1}));
}

// -- what the ring is told ----------------------------------------------------

TEST_F(changes, are_merged_per_class_and_taken_once) {
  classes.add(100);
  configure();
  put({an_item(1), an_item(2), with_size(an_item(3), 500)});
  claim();
  const auto told = books.take_changes();
  EXPECT_EQ(told.ready, (std::vector<ready_change>{{0, 0, 1}, {0, 1, 1}}));
  EXPECT_EQ(told.claims_ended, 0);
  EXPECT_TRUE(books.take_changes().empty());
}

TEST_F(changes, that_cancel_out_are_not_told) {
  put({an_item(1)});
  claim();
  EXPECT_TRUE(books.take_changes().empty());
}

TEST_F(changes, name_the_priority_as_band_across_users_only) {
  put({with_priority(an_item(1), 7)});
  EXPECT_EQ(books.take_changes().ready, (std::vector<ready_change>{{0, 0, 1}}));
  settings.priority = priority_mode::across_users;
  configure();
  EXPECT_TRUE(books.take_changes().empty());
  EXPECT_EQ(books.ready_counts(), (std::vector<ready_change>{{7, 0, 1}}));
  put({with_priority(an_item(2), 9)});
  EXPECT_EQ(books.take_changes().ready, (std::vector<ready_change>{{9, 0, 1}}));
}

TEST_F(changes, tell_of_items_that_become_ready_again) {
  put({an_item(1), an_item(2)});
  const auto x = claim()->item;
  apply(books.park({2}, true));
  (void)books.take_changes();
  settle(x, verdict::retry, 1);
  EXPECT_EQ(books.take_changes().claims_ended, 1);
  books.wake(now + 1000);
  apply(books.park({2}, false));
  EXPECT_EQ(books.take_changes().ready, (std::vector<ready_change>{{0, 0, 2}}));
}

TEST_F(changes, count_restored_claims_as_negative) {
  item_row row;
  row.id = 1;
  row.state = item_state::claimed;
  row.token = 40;
  books.restore(row);
  EXPECT_EQ(books.take_changes().claims_ended, -1);
  EXPECT_EQ(books.claims(), 1u);
}

// -- looking ------------------------------------------------------------------

TEST_F(looking, tells_how_many_items_are_ahead) {
  put({with_priority(an_item(1), 9), with_priority(an_item(2), 5),
       with_size(with_priority(an_item(3), 5), 500)});
  EXPECT_EQ(books.find(2)->ahead, 0u);
  EXPECT_EQ(books.find(3)->ahead, 1u);
  EXPECT_EQ(books.find(1)->ahead, 2u);
  EXPECT_FALSE(books.find(4));
  for (const auto& x : books.items())
    EXPECT_EQ(x, *books.find(x.id));
}

TEST_F(looking, restores_an_item_as_it_was) {
  classes.add(100);
  configure();
  item_row row;
  row.id = 4;
  row.priority = 2;
  row.size = 50;
  row.received_us = 11;
  row.kind = body_kind::blob;
  row.place = {1, 2, 3};
  row.attempt = 3;
  row.state = item_state::claimed;
  row.token = 90;
  row.deadline_us = 77;
  row.processor = "sp";
  books.restore(row);
  EXPECT_EQ(books.items(),
            (std::vector<item_view>{
              {4, item_state::claimed, 2, 3, 50, 11, never, 77, 90, "sp", 0}}));
  EXPECT_EQ(books.place(4), (body_place{1, 2, 3}));
  EXPECT_TRUE(books.settle({.id = 4, .token = 90}, now));
  put({an_item(5)});
  EXPECT_EQ(claim()->item.token, 91u);
}

TEST_F(looking, takes_a_row_of_a_delay_that_has_a_time_for_delayed) {
  item_row row;
  row.id = 1;
  row.state = item_state::delayed;
  row.available_us = 500;
  books.restore(row);
  row.id = 2;
  row.state = item_state::pending; // taken back from the shelf meanwhile
  books.restore(row);
  EXPECT_EQ(state_of(1), item_state::delayed);
  EXPECT_EQ(state_of(2), item_state::pending);
  EXPECT_EQ(books.next_due(), 500);
}

TEST_F(looking, applying_what_it_does_not_know_changes_nothing) {
  put({an_item(1)});
  const auto before = books.items();
  apply({event{item_claimed{}}, event{item_released{9, "q", 1, 2, ""}},
         event{item_finished{9}}, event{item_parked{9}},
         event{claim_extended{9}}, event{body_relocated{9}},
         event{item_released{1, "q", 1, 2, ""}}, event{server_changed{}},
         event{item_enqueued{1, "q", 5}}});
  EXPECT_EQ(books.items(), before);
}

} // namespace
} // namespace depositd
