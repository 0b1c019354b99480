// What a scheduler feeds, in which order, and how far: on sources that answer
// at once.

#include "messages/values/tallies.hpp"
#include "tests/actors/sources/sources_fixture.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

class feeding_sources_test : public testing::sources_fixture {};

// -- strategies ---------------------------------------------------------------

TEST_F(feeding_sources_test, feeds_all_records_in_their_order) {
  has("a", 120);
  start();
  EXPECT_EQ(queue->keys_of("a"), keys(0, 120));
  EXPECT_EQ(queue->items.at(7).user, "u");
  EXPECT_EQ(queue->items.at(7).body, "{\"n\":7}");
  EXPECT_EQ(report().fed, 120u);
  EXPECT_EQ(report().state, scheduler_state::feeding);
}

TEST_F(feeding_sources_test, shares_the_room_as_the_strategy_says) {
  has("a", 100);
  has("b", 100);
  plan.settings.strategy = "weighted(a:3, b:1)";
  plan.settings.high = 40;
  start_with_full_buffers();
  EXPECT_EQ(queue->keys_of("a").size(), 30u);
  EXPECT_EQ(queue->keys_of("b").size(), 10u);
}

TEST_F(feeding_sources_test, a_source_without_records_holds_nobody_up) {
  has("a", 0);
  has("b", 30);
  plan.settings.strategy = "weighted(a:9, b:1)";
  start();
  EXPECT_EQ(queue->keys_of("b"), keys(0, 30));
}

TEST_F(feeding_sources_test, keeps_to_priorities) {
  has("a", 5);
  has("b", 20);
  plan.settings.strategy = "priority(a, b)";
  plan.settings.high = 9;
  start_with_full_buffers();
  EXPECT_EQ(queue->keys_of("a"), keys(0, 5));
  EXPECT_EQ(queue->keys_of("b"), keys(0, 4));
  EXPECT_EQ(queue->items.at(4).source, "a") << "those of a came first";
}

TEST_F(feeding_sources_test, a_limit_lets_records_through_in_time) {
  has("a", 50);
  plan.settings.strategy = "limit(10/s, a)";
  start();
  EXPECT_EQ(queue->items.size(), 1u);
  go(1s);
  EXPECT_EQ(queue->items.size(), 11u);
}

TEST_F(feeding_sources_test, another_strategy_counts_at_once) {
  has("a", 100);
  has("b", 100);
  plan.settings.strategy = "priority(a, b)";
  plan.settings.high = 10;
  plan.settings.low = 9;
  start_with_full_buffers();
  EXPECT_EQ(queue->keys_of("b").size(), 0u);
  plan.settings.strategy = "priority(b, a)";
  tell();
  queue->finish(10);
  go(500ms);
  EXPECT_EQ(queue->keys_of("a").size(), 10u);
  EXPECT_EQ(queue->keys_of("b").size(), 10u);
}

// -- marks --------------------------------------------------------------------

TEST_F(feeding_sources_test, holds_at_the_high_mark_until_the_low_one) {
  has("a", 100);
  plan.settings.high = 10;
  plan.settings.low = 4;
  start();
  go(1s);
  EXPECT_EQ(queue->left(), 10u);
  EXPECT_EQ(report().state, scheduler_state::holding);
  EXPECT_EQ(report_of("a").buffer, 40u) << "more than the threshold";
  queue->finish(5);
  go(2s);
  EXPECT_EQ(queue->left(), 5u);
  queue->finish(1);
  go(500ms);
  EXPECT_EQ(queue->left(), 10u);
  EXPECT_EQ(queue->left_most, 10u);
  EXPECT_EQ(report().left, 10u);
}

TEST_F(feeding_sources_test, never_feeds_beyond_what_others_leave) {
  has("a", 100);
  plan.settings.high = 20;
  queue->foreign = 13;
  start();
  go(1s);
  EXPECT_EQ(queue->items.size(), 7u);
  EXPECT_EQ(queue->left_most, 20u);
}

TEST_F(feeding_sources_test, sees_what_others_add_below_the_mark) {
  auto& a = has("a", 2);
  plan.settings.high = 20;
  start();
  queue->foreign = 15;
  go(2s);
  a.add(50);
  go(2s);
  EXPECT_EQ(queue->left(), 20u);
  EXPECT_EQ(queue->left_most, 20u);
}

TEST_F(feeding_sources_test, asks_seldom_while_nothing_changes) {
  has("a", 100);
  plan.settings.high = 10;
  start();
  go(2s);
  const auto before = queue->asked;
  go(10s);
  EXPECT_GE(queue->asked, before + 45);
  EXPECT_LE(queue->asked, before + 55);
}

TEST_F(feeding_sources_test, what_was_known_leaves_room_for_others) {
  has("a", 30);
  for (const auto& key : keys(0, 12))
    queue->known.insert({"a", key});
  plan.settings.high = 8;
  plan.settings.low = 0;
  start();
  go(1s);
  EXPECT_EQ(queue->keys_of("a"), keys(12, 20));
  EXPECT_EQ(queue->left_most, 8u);
}

TEST_F(feeding_sources_test, goes_on_when_what_was_known_is_told_late) {
  has("a", 30);
  for (const auto& key : keys(0, 8))
    queue->known.insert({"a", key});
  plan.settings.high = 8;
  queue->waits = true;
  start();
  go(1s); // it is at its mark, and would ask how much is left
  ASSERT_EQ(queue->waiting.size(), 1u);
  queue->waits = false;
  caf::anon_send(caf::actor_cast<caf::actor>(options.shards),
                 depositd::testing::take_waiting{});
  settle();
  EXPECT_EQ(queue->keys_of("a"), keys(8, 16));
}

TEST_F(feeding_sources_test, new_marks_count_at_once) {
  has("a", 100);
  plan.settings.high = 10;
  start();
  plan.settings.high = 25;
  tell();
  EXPECT_EQ(queue->left(), 25u);
  plan.settings.high = 5;
  plan.settings.low = 2;
  tell();
  queue->finish(20);
  go(1s);
  EXPECT_EQ(queue->left(), 5u);
  EXPECT_EQ(queue->items.size(), 25u) << "it holds until 2 are left";
}

TEST_F(feeding_sources_test, a_suspended_queue_is_filled_up_to_the_mark) {
  has("a", 100);
  plan.settings.high = 10;
  queue->control.server.suspended = true;
  start();
  go(5s);
  EXPECT_EQ(queue->left(), 10u);
  EXPECT_EQ(report().state, scheduler_state::suspended);
  EXPECT_EQ(report_of("a").buffer, 40u);
  queue->control.server.suspended = false;
  tell();
  for (int i = 0; i < 30; ++i) {
    queue->finish(10);
    go(300ms);
  }
  EXPECT_EQ(queue->keys_of("a"), keys(0, 100));
  EXPECT_EQ(queue->left_most, 10u);
}

TEST_F(feeding_sources_test, measures_what_is_downstream_instead) {
  struct counter final : downstream_gauge {
    explicit counter(caf::expected<std::uint64_t>& x) : says(x) {}
    caf::expected<std::uint64_t> left(std::chrono::milliseconds) override {
      return says;
    }
    caf::expected<std::uint64_t>& says;
  };
  caf::expected<std::uint64_t> says{std::uint64_t{7}};
  options.make_gauge = [&](const scheduler_settings&)
    -> caf::expected<std::unique_ptr<downstream_gauge>> {
    return std::unique_ptr<downstream_gauge>{std::make_unique<counter>(says)};
  };
  plan.settings.downstream = "http://there";
  plan.settings.high = 10;
  has("a", 100);
  start();
  EXPECT_EQ(queue->items.size(), 3u);
  const auto known = report().left;
  says = caf::make_error(ec::store_failed, std::string{"nobody is there"});
  go(3s);
  EXPECT_EQ(queue->items.size(), 3u);
  EXPECT_EQ(report().left, known) << "no answer is no number";
  EXPECT_EQ(report_of("a").error,
            "a: waits: the downstream of scheduler plan does not say how much "
            "is left: nobody is there");
  EXPECT_NE(report_of("a").error_us, never);
  ASSERT_EQ(tallies(tally_of::downstream_silent).size(), 1u);
  EXPECT_EQ(tallies(tally_of::downstream_silent)[0].first, "plan");
  says = std::uint64_t{10};
  go(6s);
  EXPECT_EQ(report_of("a").error, "");
  EXPECT_TRUE(tallies(tally_of::downstream_silent).empty());
  says = std::uint64_t{0};
  go(205ms);
  EXPECT_EQ(queue->items.size(), 13u);
}

// -- what goes wrong ----------------------------------------------------------

TEST_F(feeding_sources_test, sends_again_what_could_not_be_fed) {
  has("a", 30);
  for (int i = 0; i < 3; ++i)
    queue->feed_errors.push_back(
      caf::make_error(ec::draining, std::string{"not now"}));
  start();
  EXPECT_TRUE(queue->items.empty());
  EXPECT_EQ(report_of("a").error, "a: not fed: not now");
  go(2s);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 30));
  EXPECT_EQ(report_of("a").error, "");
}

TEST_F(feeding_sources_test, a_lost_answer_makes_nothing_twice) {
  has("a", 30);
  plan.settings.high = 20;
  queue->answers_lost = true;
  start();
  go(1s);
  EXPECT_TRUE(queue->positions.empty());
  queue->answers_lost = false;
  go(10s);
  queue->finish(20);
  go(1s);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 30));
  EXPECT_EQ(queue->left_most, 20u);
  EXPECT_EQ(queue->positions.back().cursor, "30");
}

TEST_F(feeding_sources_test, a_lost_answer_makes_no_room) {
  has("a", 30);
  plan.settings.high = 8;
  queue->answers_lost = true;
  start();
  queue->answers_lost = false;
  go(2s);
  EXPECT_EQ(queue->left_most, 8u);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 8));
}

TEST_F(feeding_sources_test, a_source_that_was_replaced_is_not_fed) {
  auto& a = has("a", 10);
  queue->feed_errors.push_back(
    caf::make_error(ec::stale_claim, std::string{"an earlier one"}));
  start();
  go(2s);
  a.add(5);
  go(10s);
  EXPECT_TRUE(queue->items.empty());
  set_of("a").made_us = time_us + 1;
  tell();
  EXPECT_EQ(queue->keys_of("a"), keys(0, 15));
}

TEST_F(feeding_sources_test, bad_records_are_kept_before_the_position_moves) {
  auto& a = has("a", 6);
  a.faults[2] = "is crooked";
  a.faults[5] = "is torn";
  queue->feed_errors.push_back(
    caf::make_error(ec::draining, std::string{"not now"}));
  start();
  EXPECT_TRUE(queue->positions.empty());
  go(1s);
  ASSERT_EQ(queue->bad.size(), 2u);
  EXPECT_EQ(queue->bad[0].reason, "is crooked");
  EXPECT_EQ(queue->items.size(), 4u);
  ASSERT_FALSE(queue->positions.empty());
  EXPECT_EQ(queue->positions.back().cursor, "6");
  EXPECT_EQ(report_of("a").bad, 2u);
  EXPECT_EQ(report_of("a").bad_last, "a: k5: is torn");
}

TEST_F(feeding_sources_test, a_position_that_was_not_kept_is_kept_later) {
  has("a", 10);
  queue->keeps = false;
  start();
  EXPECT_EQ(queue->items.size(), 10u);
  queue->keeps = true;
  go(2s);
  ASSERT_EQ(queue->positions.size(), 1u);
  EXPECT_EQ(queue->positions[0].cursor, "10");
  EXPECT_EQ(queue->positions[0].made_us, time_us);
}

// -- by hand ------------------------------------------------------------------

TEST_F(feeding_sources_test, feeds_by_hand_whatever_is_known) {
  has("a", 3);
  start();
  feed_by_hand x;
  x.scheduler = "plan";
  x.source = "a";
  x.records = {{"k1", "ann", "{\"mended\":true}", ""},
               {"", "ann", "{}", ""},
               {"new", "", "{}", ""}};
  const auto fed = ask<fed_by_hand>(manager, x);
  ASSERT_TRUE(fed);
  EXPECT_EQ(fed->fed, 1u);
  ASSERT_EQ(fed->bad.size(), 2u);
  EXPECT_EQ(fed->bad[0].reason, "has no key");
  EXPECT_EQ(fed->bad[1].reason, "has no user");
  ASSERT_EQ(queue->items.size(), 4u);
  EXPECT_EQ(queue->items[3].body, "{\"mended\":true}");
}

TEST_F(feeding_sources_test, what_is_fed_by_hand_takes_the_place_of_its_like) {
  has("a", 3);
  queue->foreign = plan.settings.high;
  start();
  go(500ms);
  EXPECT_EQ(report_of("a").buffer, 3u);
  feed_by_hand x;
  x.scheduler = "plan";
  x.source = "a";
  x.records = {{"k1", "ann", "{\"mended\":true}", ""}};
  ASSERT_TRUE(ask<fed_by_hand>(manager, x));
  EXPECT_EQ(report_of("a").buffer, 2u);
}

TEST_F(feeding_sources_test, records_of_no_user_are_the_sources_by_hand_too) {
  has("a");
  set_of("a").settings.user_field.clear();
  start();
  feed_by_hand x;
  x.scheduler = "plan";
  x.source = "a";
  x.records = {{"k", "", "{}", ""}};
  const auto fed = ask<fed_by_hand>(manager, x);
  ASSERT_TRUE(fed);
  EXPECT_EQ(fed->fed, 1u);
  ASSERT_EQ(queue->items.size(), 1u);
  EXPECT_EQ(queue->items[0].user, "a");
}

TEST_F(feeding_sources_test, what_cannot_be_fed_by_hand_is_said) {
  has("a");
  start();
  queue->feed_errors.push_back(
    caf::make_error(ec::draining, std::string{"not now"}));
  feed_by_hand x;
  x.scheduler = "plan";
  x.source = "a";
  x.records = {{"k", "ann", "{}", ""}};
  EXPECT_EQ(ask<fed_by_hand>(manager, x).error(), ec::draining);
  go(5s);
  EXPECT_TRUE(queue->items.empty()) << "it is the operator's to repeat";
}

TEST_F(feeding_sources_test, what_is_refused_by_hand_leaves_what_waits) {
  has("a", 3);
  queue->foreign = plan.settings.high;
  start();
  go(500ms);
  queue->feed_errors.push_back(
    caf::make_error(ec::draining, std::string{"not now"}));
  feed_by_hand x;
  x.scheduler = "plan";
  x.source = "a";
  x.records = {{"k1", "ann", "{\"mended\":true}", ""}};
  EXPECT_EQ(ask<fed_by_hand>(manager, x).error(), ec::draining);
  queue->foreign = 0;
  go(2s);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 3));
}

TEST_F(feeding_sources_test, a_table_that_is_fed_in_part_says_so) {
  has("a");
  start();
  queue->feeds_well = 1;
  queue->feed_errors.push_back(
    caf::make_error(ec::draining, std::string{"not now"}));
  feed_by_hand x;
  x.scheduler = "plan";
  x.source = "a";
  const auto body = '"' + std::string(200'000, 'x') + '"';
  for (int i = 0; i < 60; ++i)
    x.records.push_back({"k" + std::to_string(i), "ann", body, ""});
  const auto fed = ask<fed_by_hand>(manager, x);
  ASSERT_FALSE(fed);
  EXPECT_FALSE(queue->items.empty());
  EXPECT_LT(queue->items.size(), 60u);
  EXPECT_EQ(render(fed.error()), "the first "
                                   + std::to_string(queue->items.size())
                                   + " are fed: not now");
}

} // namespace

} // namespace depositd
