// What a fresh start finds after a kill.

#include "actors/projection/recovery.hpp"
#include "messages/journal.hpp"
#include "messages/records.hpp"
#include "messages/values/codec.hpp"
#include "tests/support/engine_fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace depositd {

namespace {

using testing::engine_fixture;
using strings = std::vector<std::string>;
using namespace std::chrono_literals;

class recovery_test : public engine_fixture {
protected:
  void SetUp() override {
    start();
  }

  void restart() {
    crash();
    start();
  }

  /// Items fill some segments and end; what nobody needs of those is dropped.
  void come_and_go(const std::string& queue) {
    auto sp = attach_to(queue);
    for (int i = 0; i < 20; ++i) {
      put(queue, {{"bob", 0, std::string(500, 'x')}});
      want(sp, 1);
      end(sp, sp.got->items.back());
    }
    advance(1s);
    advance(1s);
  }

  /// Lets the projector take everything into the tables.
  void project() {
    ASSERT_TRUE(ask<submissions_found>(read_model, submission_query{}));
  }
};

TEST_F(recovery_test, finds_every_acknowledged_item_once) {
  const auto before = put("q", items_of("ann", 3));
  project();
  const auto after = put("q", items_of("bob", 2));
  restart();
  auto sp = attach_to("q");
  want(sp, 10);
  std::vector<item_id> found;
  for (const auto& x : sp.got->items)
    found.push_back(x.id);
  std::sort(found.begin(), found.end());
  auto expected = before;
  expected.insert(expected.end(), after.begin(), after.end());
  EXPECT_EQ(found, expected);
  auto bodies = sp.got->bodies();
  std::sort(bodies.begin(), bodies.end());
  EXPECT_EQ(bodies, (strings{"ann-1", "ann-2", "ann-3", "bob-1", "bob-2"}));
}

TEST_F(recovery_test, never_brings_back_what_was_finished) {
  put("q", items_of("ann", 2));
  auto sp = attach_to("q");
  want(sp, 1);
  end(sp, sp.got->items.at(0));
  restart();
  auto again = attach_to("q");
  want(again, 5);
  EXPECT_EQ(again.got->bodies(), strings{"ann-2"});
}

TEST_F(recovery_test, counts_the_attempt_of_a_processor_that_died_with_it) {
  put("q", items_of("ann", 1));
  auto sp = attach_to("q");
  want(sp, 1);
  restart();
  auto again = attach_to("q");
  want(again, 1);
  ASSERT_EQ(again.got->items.size(), 1u);
  EXPECT_EQ(again.got->items[0].attempt, 2u);
  EXPECT_GT(again.got->items[0].token, sp.got->items.at(0).token);
}

TEST_F(recovery_test, gives_no_number_again_that_was_recorded) {
  submission_recorded what; // as earlier versions wrote them
  what.id = put("q", items_of("ann", 1)).at(0) + 1;
  what.queue = "metadata";
  crash();
  std::string bytes;
  std::vector<body_slot> slots;
  encode(record{"ann", {event{what}}}, bytes, slots);
  ASSERT_TRUE(open_memory_journal(log)->append(bytes, 1, {}));
  start(); // nothing of it is in the tables yet
  EXPECT_GT(put("q", items_of("ann", 1)).at(0), what.id);
}

TEST_F(recovery_test, keeps_what_operators_set) {
  put("q", items_of("ann", 5));
  ASSERT_TRUE(change({user_limits_changed{"q", "ann", false, 0, true, 2}}));
  project();
  ASSERT_TRUE(change({user_eligibility_changed{"bob", true, false}}));
  restart();
  auto now = ask<control_changed>(core, watch_control{nullptr});
  ASSERT_TRUE(now);
  EXPECT_TRUE(now->state->eligibilities.at("bob").held);
  auto sp = attach_to("q");
  want(sp, 5);
  EXPECT_EQ(sp.got->items.size(), 2u);
}

TEST_F(recovery_test, keeps_the_register_of_operators) {
  const operator_changed anna{
    "anna", operator_role::operate, "$argon2id$x", {"A"}, {"c"}};
  operator_changed gone;
  gone.name = "gone";
  ASSERT_TRUE(change({anna, gone}));
  project(); // one from the tables
  const operator_changed ben{"ben", operator_role::node};
  ASSERT_TRUE(change({ben})); // one from the journal behind them
  gone.removed = true;
  ASSERT_TRUE(change({gone}));
  restart();
  const auto now = ask<control_changed>(core, watch_control{nullptr});
  ASSERT_TRUE(now);
  EXPECT_EQ(now->state->operators, (shared_map<std::string, operator_changed>{
                                     {"anna", anna}, {"ben", ben}}));
}

TEST_F(recovery_test, goes_on_in_the_ring_where_it_stood) {
  put("q", items_of("ann", 3));
  put("q", items_of("bob", 3));
  put("q", items_of("cas", 3));
  auto sp = attach_to("q");
  for (std::size_t i = 0; i < 4; ++i) {
    want(sp, 1);
    end(sp, sp.got->items.at(i));
  }
  ASSERT_EQ(sp.got->users(), (strings{"ann", "bob", "cas", "ann"}));
  restart();
  auto again = attach_to("q");
  for (int i = 0; i < 5; ++i)
    want(again, 1);
  EXPECT_EQ(again.got->users(), (strings{"bob", "cas", "ann", "bob", "cas"}));
}

TEST_F(recovery_test, follows_a_changed_configuration_but_not_a_stale_one) {
  auto set = [&](std::uint32_t concurrency) {
    auto settings = deposit_queue_defaults();
    settings.concurrency = concurrency;
    return change({queue_changed{"metadata", settings}});
  };
  ASSERT_TRUE(set(7));
  restart(); // the configuration did not change: the operator's value stays
  auto now = ask<control_changed>(core, watch_control{nullptr});
  EXPECT_EQ(now->state->queues.at("metadata").concurrency, 7u);
  crash();
  configuration.queues[0].settings.concurrency = 9;
  start();
  now = ask<control_changed>(core, watch_control{nullptr});
  EXPECT_EQ(now->state->queues.at("metadata").concurrency, 9u);
}

TEST_F(recovery_test, gives_each_queue_of_the_configuration_its_processors) {
  crash();
  configuration.queues.push_back({"special", deposit_queue_defaults()});
  configuration.processors_count = 2;
  start();
  const auto now = ask<control_changed>(core, watch_control{nullptr});
  ASSERT_TRUE(now);
  std::map<std::string, std::uint32_t> slots;
  for (const auto& [name, x] : now->state->processors)
    slots[name] = x.slots;
  EXPECT_EQ(slots, (std::map<std::string, std::uint32_t>{{"metadata", 2},
                                                         {"special", 2}}));
}

TEST_F(recovery_test, gives_no_token_that_a_lost_claim_may_have_had) {
  put("q", items_of("ann", 2));
  const auto sp = attach_to("q");
  want(sp, 1);
  restart();
  const auto again = attach_to("q");
  want(again, 2);
  ASSERT_EQ(again.got->items.size(), 2u);
  constexpr claim_token lost = 1'000'000; // that were never durable
  for (const auto& x : again.got->items)
    EXPECT_GT(x.token, sp.got->items.at(0).token + lost);
}

TEST_F(recovery_test, drops_what_no_live_item_needs) {
  come_and_go("q");
  EXPECT_LE(store->segments().size(), 2u);
}

TEST_F(recovery_test, keeps_the_segment_of_a_body_of_one_byte) {
  put("q", {{"ann", 0, "1"}});
  project();
  restart();
  const auto first = store->segments().front().first;
  come_and_go("other");
  EXPECT_EQ(store->segments().front().first, first);
  auto late = attach_to("q");
  want(late, 1);
  EXPECT_EQ(late.got->bodies(), strings{"1"});
}

TEST_F(recovery_test, keeps_what_is_not_published_whoever_runs) {
  published = true;
  restart();
  const auto mark = [&](sequence upto) {
    caf::anon_send(writer, keep_watermark{{egress_watermark,
                                           static_cast<std::int64_t>(upto)}});
    settle();
  };
  come_and_go("q");
  const auto kept = store->segments().size();
  EXPECT_GT(kept, 5u) << "nothing was published yet";
  mark(store->segments()[1].last);
  come_and_go("q");
  EXPECT_GT(store->segments().size(), kept);
  published = false; // an engine that knows of nobody to publish for
  restart();
  come_and_go("q");
  EXPECT_GT(store->segments().size(), kept);
  mark(store->last());
  come_and_go("q");
  EXPECT_LT(store->segments().size(), kept + 3);
}

TEST_F(recovery_test, moves_old_bodies_that_pin_the_log) {
  crash();
  disk_spare_bytes = 4096;
  start();
  put("q", {{"old", 0, "precious"}});
  ASSERT_TRUE(change({user_eligibility_changed{"old", true, false}}));
  auto sp = attach_to("q");
  const std::string body(500, 'x');
  for (int i = 0; i < 60; ++i) {
    put("q", {{"ann", 0, body}});
    want(sp, 1);
    end(sp, sp.got->items.back());
    if (i % 10 == 0)
      advance(1s);
  }
  for (int i = 0; i < 5; ++i)
    advance(1s);
  EXPECT_LT(store->disk_bytes(), 16'000u);
  restart();
  ASSERT_TRUE(change({user_eligibility_changed{"old", false, false}}));
  auto again = attach_to("q");
  want(again, 1);
  EXPECT_EQ(again.got->bodies(), strings{"precious"});
}

TEST_F(recovery_test, keeps_the_segment_that_an_old_body_was_moved_to) {
  crash();
  disk_spare_bytes = 0;
  start();
  put("q", {{"old", 0, "precious"}});
  ASSERT_TRUE(change({user_eligibility_changed{"old", true, false}}));
  const auto first = store->segments().front().first;
  for (int i = 0; i < 5; ++i)
    come_and_go("q");
  EXPECT_NE(store->segments().front().first, first) << "it was moved";
  restart();
  ASSERT_TRUE(change({user_eligibility_changed{"old", false, false}}));
  auto again = attach_to("q");
  want(again, 1);
  EXPECT_EQ(again.got->bodies(), strings{"precious"});
}

TEST_F(recovery_test, starts_over_by_itself_after_a_failed_append) {
  put("q", items_of("ann", 2));
  fail_appends(*log, 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(ask<enqueued>(door, enqueue{"q", items_of("bob", 1)}));
    advance(2s);
  }
  auto sp = attach_to("q");
  want(sp, 5);
  EXPECT_EQ(sp.got->users(), (strings{"ann", "ann"}));
}

TEST(replaying, follows_where_users_stand_until_their_queue_goes) {
  shard::recovered_state state;
  ring_paid paid;
  paid.queue = "q";
  paid.spent = 40;
  paid.floor = 30;
  paid.since = 7;
  projection::apply_record(state, {"ann", {paid}});
  ASSERT_EQ(state.rings.size(), 1u);
  const auto& place = state.rings.at({"q", "ann"});
  EXPECT_EQ(place.paid.spent, 40u);
  EXPECT_EQ(place.paid.floor, 30u);
  EXPECT_EQ(place.since, 7u);
  projection::apply_record(state, {"", {queue_retired{"q", {"ann"}}}});
  EXPECT_TRUE(state.rings.empty());
}

} // namespace

} // namespace depositd
