#include "actors/rules/ledger/ledger.hpp"

#include "tests/actors/rules/ledger/ledger_fixture.hpp"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

namespace depositd {
namespace {

using namespace testing;
using rules::taker_limits;

using ids = std::vector<item_id>;

using settling = ledger_fixture;
using ending_all = ledger_fixture;

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
    outcome what;
    what.id = id;
    what.document = "<d/>";
    const auto e = books.finish(what, now);
    ASSERT_TRUE(e);
    EXPECT_EQ(std::get<item_finished>(*e),
              (item_finished{id, "q", ending::done, now, "", "", "<d/>"}));
    books.apply(*e);
    EXPECT_EQ(books.finish(what, now).error(), ec::not_found);
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

TEST_F(settling, a_renewal_of_an_earlier_claim_changes_nothing) {
  put({an_item(1)});
  const auto first = claim(any_item(), {"a", 100, false})->item;
  settle(first, verdict::release);
  claim(any_item(), {"b", 200, false});
  claim_renewed late;
  late.id = 1;
  late.queue = "q";
  late.token = first.token;
  late.deadline_us = 900;
  apply({event{late}});
  EXPECT_EQ(books.next_due(), 200);
}

TEST_F(settling, what_is_set_aside_cannot_be_claimed_by_its_number) {
  put({an_item(1), an_item(2), an_item(3)});
  settle(claim()->item, verdict::retry, 50);
  apply(books.park({2}, true));
  EXPECT_FALSE(books.claim(1, {"a", 900, false}, now)) << "delayed";
  EXPECT_FALSE(books.claim(2, {"a", 900, false}, now)) << "parked";
  EXPECT_TRUE(books.claim(3, {"a", 900, false}, now));
}

TEST_F(ending_all, so_many_claims_at_once_as_are_wanted) {
  put({an_item(1), an_item(2), an_item(3)});
  claim(any_item(), {"a", 100, false});
  claim(any_item(), {"a", 90, false});
  claim(any_item(), {"a", 95, false});
  const auto events = books.expire(100, 2);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(std::get<item_released>(events[0]).id, 2u);
  EXPECT_EQ(std::get<item_released>(events[1]).id, 3u);
  apply(events);
  EXPECT_EQ(books.next_due(), 100);
  const auto last = books.token_last();
  claim(any_item(), {"b", 900, false});
  apply(books.release_claims(last, now, 10));
  EXPECT_EQ(state_of(1), item_state::pending);
  EXPECT_EQ(books.claims(), 1u) << "of later";
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

TEST_F(ending_all, claims_by_the_numbers_of_their_items) {
  std::vector<rules::incoming> many;
  std::vector<item_id> numbers;
  for (item_id id = 1; id <= 50; ++id) {
    many.push_back(an_item(id * 37));
    numbers.push_back(id * 37);
  }
  put(many);
  for (std::size_t i = 0; i < many.size(); ++i)
    claim(any_item(), {"a", never, true});
  const auto ids_of = [](const std::vector<event>& events) {
    std::vector<item_id> out;
    for (const auto& x : events)
      out.push_back(std::get<item_released>(x).id);
    return out;
  };
  EXPECT_EQ(ids_of(books.release_claims("a", now)), numbers);
  EXPECT_EQ(ids_of(books.release_claims(books.token_last(), now, 99)), numbers);
  EXPECT_EQ(ids_of(books.release_local_claims(now)), numbers);
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

TEST_F(ending_all, a_restart_releases_what_was_claimed_from_elsewhere) {
  put({an_item(1)});
  const auto x = claim(any_item(), {"inside", 900, false});
  ASSERT_TRUE(x);
  const auto adopted = books.extend(1, x->claim.token, never);
  ASSERT_TRUE(adopted);
  books.apply(*adopted);
  apply(books.release_local_claims(now));
  EXPECT_EQ(state_of(1), item_state::pending);
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

TEST_F(ending_all, cancel_ends_what_waits_and_leaves_what_is_claimed) {
  put({an_item(1), an_item(2), an_item(3), an_item(4)});
  claim();
  settle(claim()->item, verdict::retry, 50);
  apply(books.park({3}, true));
  const auto events = books.cancel({4, 1, 3, 2, 3, 9}, "enough", now);
  ASSERT_EQ(events.size(), 3u) << "each once, and the claimed one not";
  std::size_t at = 0;
  for (const item_id id : {4, 3, 2})
    EXPECT_EQ(std::get<item_finished>(events[at++]),
              (item_finished{id, "q", ending::failed, now, "enough", "", ""}));
  apply(events);
  EXPECT_EQ(books.size(), 1u);
  EXPECT_EQ(books.pending(), 0u);
  EXPECT_EQ(books.parked(), 0u);
  EXPECT_EQ(books.claims(), 1u);
  EXPECT_EQ(claim_id(), 0u);
}

} // namespace
} // namespace depositd
