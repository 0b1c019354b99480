// Sources and schedulers come, change and go, and go on where they stood; what
// operators ask of them.

#include "tests/actors/sources/sources_fixture.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

class set_sources_test : public testing::sources_fixture {
protected:
  template <class T, class Question>
  std::string refusal_of(const Question& x) {
    const auto answer = ask<T>(manager, x);
    return answer ? "" : render(answer.error());
  }

  caf::expected<strategy_explained> explain(const std::string& strategy = "",
                                            std::uint32_t picks = 10) {
    return ask<strategy_explained>(manager,
                                   explain_strategy{"plan", strategy, picks});
  }

  /// Five records of `a`, none of `b` yet, which is returned, and room for ten.
  depositd::testing::memory_source& two_sources() {
    has("a", 5);
    plan.settings.high = 10;
    return has("b");
  }

  void remove_a() {
    queue->control.sources.erase("a");
    tell();
  }

  /// How many of very many come to the queue.
  std::size_t fed_of(depositd::testing::memory_source& b) {
    b.add(20);
    go(5s);
    return queue->keys_of("b").size();
  }

  /// What waits at the queue is taken, and what comes.
  void let_go() {
    queue->waits = false;
    caf::anon_send(caf::actor_cast<caf::actor>(options.shards),
                   depositd::testing::take_waiting{});
    settle();
  }

  record_found find(const std::string& key) {
    const auto found =
      ask<record_found>(manager, find_record{"plan", "a", key});
    EXPECT_TRUE(found);
    return found ? *found : record_found{};
  }
};

// -- starts -------------------------------------------------------------------

TEST_F(set_sources_test, is_met_by_its_shard) {
  start();
  EXPECT_TRUE(queue->schedulers
              == caf::actor_cast<caf::strong_actor_ptr>(manager));
  caf::anon_send_exit(manager, caf::exit_reason::kill);
  settle();
  EXPECT_FALSE(queue->schedulers);
}

TEST_F(set_sources_test, a_restart_skips_nothing_and_makes_nothing_twice) {
  auto& a = has("a", 200);
  plan.settings.high = 30;
  plan.settings.low = 20;
  start();
  for (int i = 0; i < 12; ++i) {
    queue->finish(10 + static_cast<std::size_t>(i) % 3);
    go(100ms);
    if (i == 6)
      queue->answers_lost = true; // durable, though nobody hears of it
    restart();
    queue->answers_lost = false;
  }
  for (int i = 0; i < 20; ++i) {
    queue->finish(30);
    go(300ms);
  }
  EXPECT_EQ(queue->keys_of("a"), keys(0, 200));
  EXPECT_EQ(queue->positions.back().cursor, "200");
  EXPECT_LE(queue->left_most, 30u);
  const auto from_the_start =
    std::count_if(a.asked.begin(), a.asked.end(),
                  [](const auto& x) { return x.cursor.empty(); });
  EXPECT_LE(from_the_start, 6) << "later ones went on where it was applied";
}

TEST_F(set_sources_test, an_earlier_source_of_its_name_means_nothing) {
  auto& a = has("a", 5);
  queue->control.positions["a"] =
    source_read{"a", time_us - 1, true, "3", true, 7, false};
  start();
  EXPECT_EQ(a.asked.at(0).cursor, "");
  EXPECT_EQ(queue->keys_of("a"), keys(0, 5));
}

TEST_F(set_sources_test, only_schedulers_of_the_shard_are_here) {
  has("a", 5);
  options.shard_count = 4;
  options.shard = (shard_of("plan", 4) + 1) % 4;
  start();
  EXPECT_TRUE(queue->items.empty());
  const auto all = ask<schedulers_reported>(manager, report_schedulers{});
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->schedulers.empty());
}

// -- changes ------------------------------------------------------------------

TEST_F(set_sources_test, a_paused_source_is_neither_read_nor_fed) {
  auto& a = has("a", 500);
  plan.settings.high = 10;
  start();
  set_of("a").paused = true;
  tell();
  const auto asked = a.asked.size();
  queue->finish(10);
  go(2s);
  EXPECT_EQ(queue->items.size(), 10u);
  EXPECT_EQ(a.asked.size(), asked);
  EXPECT_EQ(report_of("a").state, source_state::paused);
  EXPECT_EQ(report_of("a").buffer, 40u);
  set_of("a").paused = false;
  set_of("a").resumes = 1;
  tell();
  EXPECT_EQ(queue->keys_of("a"), keys(0, 20));
}

TEST_F(set_sources_test, a_source_that_is_removed_leaves_what_was_queued) {
  has("a", 500);
  has("b", 500);
  plan.settings.high = 10;
  start_with_full_buffers();
  queue->control.sources.erase("a");
  tell();
  for (int i = 0; i < 5; ++i) {
    queue->finish(10);
    go(300ms);
  }
  EXPECT_EQ(queue->keys_of("a"), keys(0, 5));
  EXPECT_GE(queue->keys_of("b").size(), 45u);
  EXPECT_EQ(report().sources.size(), 1u);
}

TEST_F(set_sources_test, what_a_source_that_goes_has_on_its_way_counts_once) {
  auto& b = two_sources();
  queue->waits = true;
  start();
  ASSERT_EQ(queue->waiting.size(), 1u);
  remove_a();
  let_go();
  EXPECT_EQ(fed_of(b), 5u);
}

TEST_F(set_sources_test, what_a_source_that_goes_could_not_send_is_forgotten) {
  auto& b = two_sources();
  for (int i = 0; i < 3; ++i)
    queue->feed_errors.push_back(
      caf::make_error(ec::draining, std::string{"not now"}));
  start();
  remove_a();
  queue->feed_errors.clear();
  EXPECT_EQ(fed_of(b), 10u);
}

TEST_F(set_sources_test, who_has_gone_hears_of_no_refusal) {
  auto& b = two_sources();
  queue->waits = true;
  start();
  queue->feed_errors.push_back(ec::stale_claim);
  remove_a();
  let_go();
  EXPECT_EQ(fed_of(b), 10u);
}

TEST_F(set_sources_test, another_source_has_its_turns) {
  has("a", 500);
  plan.settings.high = 10;
  plan.settings.low = 0;
  start();
  has("b", 500);
  tell();
  queue->finish(10);
  go(300ms);
  EXPECT_EQ(queue->keys_of("a").size(), 15u);
  EXPECT_EQ(queue->keys_of("b").size(), 5u);
}

TEST_F(set_sources_test, another_origin_is_read_by_another_reader) {
  auto& a = has("a", 5);
  start();
  EXPECT_EQ(a.readers, 1u);
  set_of("a").settings.poll_interval_ms = 500;
  tell();
  EXPECT_EQ(a.readers, 1u);
  set_of("a").settings.from.path = "/elsewhere";
  a.add(3);
  tell();
  EXPECT_EQ(a.readers, 2u);
  EXPECT_EQ(queue->keys_of("a"), keys(0, 8)) << "from where it stood";
}

TEST_F(set_sources_test, a_scheduler_that_is_removed_ends) {
  auto& a = has("a", 5);
  start();
  queue->control.schedulers.erase("plan");
  queue->control.sources.erase("a");
  tell();
  const auto asked = a.asked.size();
  go(3s);
  EXPECT_EQ(a.asked.size(), asked);
  EXPECT_EQ(refusal_of<schedulers_reported>(report_schedulers{"plan"}),
            "no scheduler plan");
  EXPECT_TRUE(options.running->wait_for_none(0ms));
}

TEST_F(set_sources_test, another_queue_is_fed_from_then_on) {
  has("a", 100);
  plan.settings.high = 10;
  start();
  plan.settings.queue = "other";
  tell();
  EXPECT_EQ(queue->items.size(), 10u) << "they are left in the stand-in";
  queue->finish(10);
  go(300ms);
  EXPECT_EQ(queue->items.size(), 20u);
  EXPECT_EQ(report().settings.queue, "other");
}

TEST_F(set_sources_test, another_downstream_forgets_nothing_on_its_way) {
  struct nothing_left final : downstream_gauge {
    caf::expected<std::uint64_t> left(std::chrono::milliseconds) override {
      return std::uint64_t{0};
    }
  };
  options.make_gauge = [](const scheduler_settings&)
    -> caf::expected<std::unique_ptr<downstream_gauge>> {
    return std::unique_ptr<downstream_gauge>{std::make_unique<nothing_left>()};
  };
  has("a").add(6, "ann");
  plan.settings.high_per_user = 2;
  plan.settings.downstream = "http://there";
  queue->waits = true;
  start();
  go(500ms);
  ASSERT_EQ(queue->waiting.size(), 1u);
  plan.settings.downstream = "http://elsewhere";
  tell();
  go(500ms);
  let_go();
  go(1s);
  EXPECT_EQ(queue->left_of("ann"), 2u);
  queue->finish(2);
  go(2s);
  EXPECT_EQ(queue->left_of("ann"), 2u) << "nothing counts twice";
}

// -- looking ------------------------------------------------------------------

TEST_F(set_sources_test, reports_what_its_queue_counts) {
  has("a", 20);
  plan.settings.high = 8;
  start();
  queue->finish(3);
  auto a = report_of("a");
  EXPECT_EQ(a.records.queued, 5u);
  EXPECT_EQ(a.records.finished, 3u);
  EXPECT_EQ(a.total, 20u);
  EXPECT_TRUE(a.has_total);
  EXPECT_TRUE(a.has_cursor);
  EXPECT_EQ(a.cursor, "20");
  EXPECT_EQ(a.rate, 8);
  EXPECT_EQ(a.replenish_records_last, 0u);
  queue->counts = false;
  a = report_of("a");
  EXPECT_EQ(a.records.queued, 0u);
  EXPECT_EQ(a.buffer, 12u);
  const auto all = ask<schedulers_reported>(manager, report_schedulers{});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->schedulers.size(), 1u);
  EXPECT_EQ(all->schedulers[0].name, "plan");
}

TEST_F(set_sources_test, finds_a_record_wherever_it_is) {
  has("a", 20);
  plan.settings.high = 8;
  start();
  queue->finish(1);
  EXPECT_EQ(find("k0").state, record_state::finished);
  EXPECT_EQ(find("k7").state, record_state::queued);
  EXPECT_EQ(find("k8").state, record_state::buffered);
  EXPECT_EQ(find("k8").user, "u");
  EXPECT_EQ(find("k99").state, record_state::unknown);
}

TEST_F(set_sources_test, a_record_on_its_way_is_buffered) {
  has("a", 2);
  queue->feed_errors.push_back(
    caf::make_error(ec::draining, std::string{"not now"}));
  start();
  EXPECT_EQ(find("k1").state, record_state::buffered);
  go(1s);
  EXPECT_EQ(find("k1").state, record_state::queued);
}

TEST_F(set_sources_test, says_what_there_is_not) {
  has("a");
  start();
  EXPECT_EQ(refusal_of<record_found>(find_record{"plan", "z", "k"}),
            "no source z");
  EXPECT_EQ(refusal_of<record_found>(find_record{"z", "a", "k"}),
            "no scheduler z");
  EXPECT_EQ(refusal_of<source_tested>(test_source{"plan", "z", 1}),
            "no source z");
  EXPECT_EQ(refusal_of<fed_by_hand>(feed_by_hand{"plan", "z", {}}),
            "no source z");
}

TEST_F(set_sources_test, explains_the_strategy) {
  has("a", 100);
  has("b", 100);
  has("c", 0);
  plan.settings.high = 8;
  plan.settings.strategy = "prefer  c else fair( a,b )";
  queue->foreign = 8;
  start();
  const auto said = explain("", 4);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->strategy, "prefer c else fair(a, b)");
  EXPECT_EQ(said->next, "a");
  EXPECT_NE(said->why, "");
  EXPECT_EQ(said->picks, (strings{"a", "b", "a", "b"}));
  ASSERT_EQ(said->sources.size(), 3u);
  EXPECT_EQ(said->sources[1].name, "b");
  EXPECT_EQ(said->sources[1].buffer, 50u);
  const auto other = explain("priority( b,a )", 2);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->strategy, "priority(b, a)");
  EXPECT_EQ(other->picks, (strings{"b", "b"}));
  EXPECT_EQ(explain("", 1)->next, "a") << "nothing has changed";
  const auto wrong = explain("fair(a, nobody)");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error(), ec::bad_setting);
  EXPECT_EQ(render(wrong.error()),
            "schedulers.plan.strategy: column 9: the scheduler has no source "
            "nobody");
}

TEST_F(set_sources_test, a_dry_run_changes_nothing) {
  auto& a = has("a", 100);
  a.faults[51] = "is crooked";
  plan.settings.high = 10;
  start();
  const auto before = report_of("a");
  const auto tested = ask<source_tested>(manager, test_source{"plan", "a", 3});
  ASSERT_TRUE(tested);
  EXPECT_EQ(tested->error, "");
  ASSERT_EQ(tested->records.size(), 2u);
  EXPECT_EQ(tested->records[0].key, "k50") << "from where it would go on";
  ASSERT_EQ(tested->bad.size(), 1u);
  EXPECT_EQ(a.readers, 2u);
  EXPECT_EQ(a.asked.back().limit, 3u);
  const auto after = report_of("a");
  EXPECT_EQ(after.cursor, before.cursor);
  EXPECT_EQ(after.replenishes, before.replenishes);
  EXPECT_EQ(after.bad, 0u);
  EXPECT_EQ(queue->items.size(), 10u);
}

TEST_F(set_sources_test, a_dry_run_tells_what_is_wrong) {
  auto& a = has("a");
  start();
  a.errors.push_back(caf::make_error(ec::not_found, std::string{"no table"}));
  const auto tested = ask<source_tested>(manager, test_source{"plan", "a", 3});
  ASSERT_TRUE(tested);
  EXPECT_EQ(tested->error, "a: no table");
}

TEST_F(set_sources_test, no_more_are_tested_at_once_than_may) {
  has("a", 3);
  options.limits.tests_max = 0;
  start();
  EXPECT_EQ(refusal_of<source_tested>(test_source{"plan", "a", 3}),
            "too many sources are tested now");
}

TEST_F(set_sources_test, what_reading_would_change_is_not_tested) {
  auto& a = has("a", 3);
  set_of("a").settings.kind = source_kind::sqs;
  start();
  const auto asked = a.asked.size();
  const auto tested = ask<source_tested>(manager, test_source{"plan", "a", 3});
  ASSERT_FALSE(tested);
  EXPECT_EQ(tested.error(), ec::invalid_argument);
  EXPECT_EQ(a.asked.size(), asked);
}

} // namespace

} // namespace depositd
