// Ledgers of queues that collapse equal payloads, and moves between ledgers.

#include "tests/actors/rules/ledger/ledger_fixture.hpp"

#include <algorithm>
#include <variant>

namespace depositd {
namespace {

using testing::an_item;
using testing::any_item;
using testing::ledger_fixture;
using testing::with_body;
using testing::with_digest;
using testing::with_priority;
using testing::with_size;
using ids = std::vector<item_id>;
using ready_changes = std::vector<ready_change>;

class collapsing : public ledger_fixture {
protected:
  collapsing() {
    settings.dedup = dedup_mode::between_polls;
    configure();
  }

  static rules::incoming with_payload(item_id id, std::uint64_t digest) {
    return with_digest(an_item(id), digest);
  }

  std::optional<item_claimed> claim_by_id(item_id id) {
    auto out = books.claim(id, {"sp", never, false}, now);
    if (out)
      books.apply(event{*out});
    return out;
  }
};

TEST_F(collapsing, what_comes_waits_to_be_admitted) {
  put({with_size(with_payload(1, 7), 99), with_payload(2, 7)});
  const auto told = books.take_changes();
  EXPECT_TRUE(told.ready.empty());
  EXPECT_EQ(told.arrived,
            (std::vector<arrival>{{1, 7, 99, 0}, {2, 7, 10, 0}}));
  EXPECT_EQ(books.arrivals(), told.arrived);
  EXPECT_EQ(claim_id(), 0u);
  EXPECT_EQ(books.size(), 2u);
  EXPECT_EQ(books.pending(), 2u);
  EXPECT_EQ(books.parked(), 0u);
  EXPECT_EQ(state_of(1), item_state::pending);
  EXPECT_EQ(books.next_due(), never);
}

TEST_F(collapsing, a_payload_without_digest_waits_for_nobody) {
  put({an_item(1)});
  const auto told = books.take_changes();
  EXPECT_TRUE(told.arrived.empty());
  EXPECT_EQ(told.ready, (ready_changes{{0, 0, 1}}));
  claim();
  EXPECT_TRUE(books.take_changes().deliver.empty());
}

TEST_F(collapsing, what_is_admitted_is_ready_and_told_unless_counted) {
  put({with_payload(1, 7), with_payload(2, 8)});
  books.take_changes();
  EXPECT_TRUE(books.admit(1, true));
  EXPECT_TRUE(books.take_changes().empty());
  EXPECT_TRUE(books.admit(2, false));
  EXPECT_EQ(books.take_changes().ready, (ready_changes{{0, 0, 1}}));
  EXPECT_EQ(books.ready_counts(), (ready_changes{{0, 0, 2}}));
  EXPECT_TRUE(books.arrivals().empty());
}

TEST_F(collapsing, only_what_waits_can_be_admitted) {
  put({with_payload(1, 7), with_payload(2, 8), with_payload(3, 9)});
  EXPECT_FALSE(books.admit(4, true));
  books.admit(1, true);
  EXPECT_FALSE(books.admit(1, true)) << "ready already";
  claim();
  EXPECT_FALSE(books.admit(1, true)) << "claimed";
  apply(books.park({2}, true));
  EXPECT_FALSE(books.admit(2, true)) << "parked";
}

TEST_F(collapsing, the_first_hand_out_is_told_and_no_later_one) {
  put({with_payload(1, 7)});
  books.admit(1, true);
  books.take_changes();
  auto got = claim();
  EXPECT_EQ(books.take_changes().deliver, (std::vector<digested>{{1, 7}}));
  settle(got->item, verdict::retry, 0);
  books.take_changes();
  now += 10'000'000;
  books.wake(now);
  EXPECT_TRUE(claim()) << "it is not admitted again";
  EXPECT_TRUE(books.take_changes().deliver.empty());
}

TEST_F(collapsing, giving_an_item_back_leaves_it_handed_out) {
  for (const auto says : {verdict::release, verdict::not_yet}) {
    const item_id id = says == verdict::release ? 1 : 2;
    put({with_payload(id, 7)});
    books.admit(id, true);
    const auto e = settle(claim()->item, says, 1);
    EXPECT_EQ(std::get<item_released>(e).attempt, 1u);
    now += 10'000'000;
    books.wake(now);
    books.take_changes();
    ASSERT_EQ(claim_id(), id);
    EXPECT_TRUE(books.take_changes().deliver.empty());
  }
}

TEST_F(collapsing, an_item_that_goes_unclaimed_is_told) {
  put({with_payload(1, 7), with_payload(2, 7), with_payload(3, 7)});
  books.admit(1, true);
  books.take_changes();
  books.apply(*books.finish({.id = 1}, now));
  apply(books.park({2}, true));
  auto told = books.take_changes();
  EXPECT_EQ(told.left, (std::vector<digested>{{1, 7}, {2, 7}}));
  EXPECT_EQ(told.ready, (ready_changes{{0, 0, -1}})) << "only one was ready";
  apply(books.park({2}, false));
  told = books.take_changes();
  EXPECT_EQ(told.arrived, (std::vector<arrival>{{2, 7, 10, 0}}));
  apply(books.purge(now));
  EXPECT_EQ(books.take_changes().left,
            (std::vector<digested>{{2, 7}, {3, 7}}));
  EXPECT_TRUE(books.idle());
}

TEST_F(collapsing, a_shadow_can_be_claimed_by_id) {
  put({with_payload(1, 7)});
  books.take_changes();
  ASSERT_TRUE(claim_by_id(1));
  const auto told = books.take_changes();
  EXPECT_EQ(told.deliver, (std::vector<digested>{{1, 7}}));
  EXPECT_TRUE(told.ready.empty());
  EXPECT_FALSE(claim_by_id(1));
}

TEST_F(collapsing, ends_only_what_waits_and_was_never_handed_out) {
  put({with_payload(1, 7), with_payload(2, 7), with_payload(3, 7),
       with_payload(4, 7), with_payload(5, 7)});
  books.admit(1, true);
  settle(claim()->item, verdict::release); // 1: handed out
  claim_by_id(2);                          // 2: claimed
  apply(books.park({3}, true));            // 3: parked
  books.admit(4, true);                    // 4: ready; 5: waits
  books.take_changes();
  ids ended;
  for (const auto& e : books.collapse({1, 2, 3, 4, 5, 6}, now)) {
    const auto& x = std::get<item_finished>(e);
    EXPECT_EQ(x.how, ending::collapsed);
    ended.push_back(x.id);
    books.apply(e);
  }
  EXPECT_EQ(ended, (ids{4, 5}));
  EXPECT_TRUE(books.take_changes().left.empty());
  EXPECT_EQ(books.size(), 3u);
}

TEST_F(collapsing, a_restored_item_waits_unless_it_was_handed_out) {
  item_row row;
  row.digest = 7;
  row.size = 10;
  for (item_id id = 1; id <= 2; ++id) {
    row.id = id;
    row.attempt = id == 1 ? 0 : 1;
    books.restore(row);
  }
  EXPECT_EQ(books.arrivals(), (std::vector<arrival>{{1, 7, 10, 0}}));
  EXPECT_EQ(claim_id(), 2u);
}

TEST_F(collapsing, settings_that_come_after_the_items_sort_them_again) {
  put({with_payload(1, 7), with_payload(2, 8)});
  books.admit(1, false);
  settings.dedup = dedup_mode::while_pending;
  configure();
  EXPECT_TRUE(books.arrivals().empty());
  EXPECT_EQ(books.ready_counts(), (ready_changes{{0, 0, 2}}));
  EXPECT_TRUE(books.swallows(8));
  settings.dedup = dedup_mode::between_polls;
  configure();
  EXPECT_EQ(books.arrivals().size(), 2u);
  EXPECT_TRUE(books.ready_counts().empty());
  EXPECT_FALSE(books.swallows(8));
}

class moving : public ledger_fixture {
protected:
  moving() {
    other.configure("r", settings, classes);
  }

  /// Moves and applies; ids of what happened.
  ids move(std::uint32_t count_max = 100, item_id id_last = 100) {
    ids out;
    for (const auto& e :
         books.move_out({"r", id_last, count_max}, other, now)) {
      if (const auto* x = std::get_if<item_moved>(&e)) {
        EXPECT_EQ(x->queue, "q");
        EXPECT_EQ(x->to, "r");
        EXPECT_EQ(x->moved_us, now);
        rules::ledger::apply(*x, books, other);
        out.push_back(x->id);
      } else {
        books.apply(e);
        collapsed.push_back(std::get<item_finished>(e).id);
      }
    }
    return out;
  }

  rules::ledger other;
  ids collapsed;
};

TEST_F(moving, takes_items_out_of_every_state) {
  settings.retry_delay_ms = 60'000;
  configure();
  put({an_item(1), an_item(2), with_body(an_item(3), "xyz"),
       with_priority(an_item(4), 9)});
  const auto first = claim();
  settle(first->item, verdict::retry);
  claim();
  apply(books.park({3}, true));
  books.take_changes();
  EXPECT_EQ(move(), (ids{1, 2, 3, 4}));
  EXPECT_TRUE(books.idle());
  EXPECT_EQ(books.next_due(), never);
  EXPECT_EQ(books.take_changes().claims_ended, 1);
  for (const auto& x : other.items()) {
    EXPECT_EQ(x.state, item_state::pending);
    EXPECT_EQ(x.attempt, 0u);
    EXPECT_EQ(x.token, 0u);
  }
  EXPECT_EQ(*other.body(3), "xyz");
  EXPECT_EQ(other.find(4)->priority, 9);
  EXPECT_EQ(other.take_changes().ready, (ready_changes{{0, 0, 4}}));
}

TEST_F(moving, stops_at_a_number_of_items_and_at_an_id) {
  put({an_item(1), with_priority(an_item(2), 9), an_item(3), an_item(4)});
  EXPECT_EQ(move(2, 3).size(), 2u);
  EXPECT_TRUE(books.holds_up_to(3));
  EXPECT_EQ(move(2, 3).size(), 1u);
  EXPECT_FALSE(books.holds_up_to(3));
  EXPECT_TRUE(books.holds_up_to(4));
  EXPECT_EQ(books.size(), 1u);
  EXPECT_TRUE(move(2, 3).empty());
}

TEST_F(moving, is_not_over_while_somebody_works_on_an_item) {
  put({an_item(1), an_item(2)});
  claim();
  claim();
  EXPECT_EQ(move(1).size(), 1u);
  EXPECT_TRUE(books.holds_up_to(2));
  EXPECT_EQ(move(1).size(), 1u);
  EXPECT_FALSE(books.holds_up_to(2));
}

TEST_F(moving, puts_older_items_before_those_that_are_there) {
  put({an_item(1)});
  other.apply(event{item_enqueued{.id = 2, .queue = "r"}});
  move();
  EXPECT_EQ(other.choose(any_item(), {}, now)->item.id, 1u);
  EXPECT_EQ(other.find(2)->ahead, 1u);
}

TEST_F(moving, ends_what_the_destination_swallows) {
  settings.dedup = dedup_mode::while_pending;
  other.configure("r", settings, classes);
  other.apply(event{item_enqueued{.id = 1, .queue = "r", .digest = 7}});
  put({with_digest(an_item(2), 7), with_digest(an_item(3), 8),
       with_digest(an_item(4), 8)});
  EXPECT_EQ(move(), ids{3});
  EXPECT_EQ(collapsed, (ids{2, 4}));
}

TEST_F(moving, is_nothing_the_second_time) {
  put({an_item(1)});
  const item_moved x{1, "q", "r", now};
  rules::ledger::apply(x, books, other);
  const auto handed = other.choose(any_item(), {"sp", never, false}, now);
  ASSERT_TRUE(handed);
  other.apply(event{handed->claim});
  rules::ledger::apply(x, books, other);
  rules::ledger::place(1, {}, books, &other);
  EXPECT_EQ(other.size(), 1u);
  EXPECT_FALSE(other.choose(any_item(), {"sp", never, false}, now));
  EXPECT_TRUE(books.idle());
}

TEST_F(moving, gives_an_item_no_token_again_that_it_had) {
  put({an_item(1)});
  settle(claim()->item, verdict::release);
  const auto before = claim()->item.token; // still somebody's
  EXPECT_EQ(move(1), (ids{1}));
  const auto after = other.choose(any_item(), {"sp", never, false}, now);
  ASSERT_TRUE(after);
  EXPECT_GT(after->item.token, before);
}

TEST_F(moving, arrives_like_a_fresh_item_where_payloads_collapse) {
  settings.dedup = dedup_mode::between_polls;
  configure();
  other.configure("r", settings, classes);
  put({with_digest(an_item(1), 7), with_digest(an_item(2), 8)});
  books.admit(1, true);
  claim();
  books.take_changes();
  move();
  EXPECT_EQ(books.take_changes().left, (std::vector<digested>{{2, 8}}))
    << "the other was handed out before";
  EXPECT_EQ(other.arrivals(),
            (std::vector<arrival>{{1, 7, 10, 0}, {2, 8, 10, 0}}));
}

} // namespace
} // namespace depositd
