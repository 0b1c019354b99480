#include "actors/rules/ledger/ledger.hpp"

#include "tests/actors/rules/ledger/ledger_fixture.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace depositd {
namespace {

using namespace testing;
using rules::taker_limits;

using ids = std::vector<item_id>;

using accepting = ledger_fixture;
using choosing = ledger_fixture;

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

} // namespace
} // namespace depositd
