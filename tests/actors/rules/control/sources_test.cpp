// Sources and schedulers: what may be set, and whose word counts.

#include "actors/rules/control/sources.hpp"

#include "actors/rules/control/control.hpp"
#include "messages/values/operations.hpp"

#include <gtest/gtest.h>

namespace depositd::sources_control_test {
namespace {

constexpr micros start_us = 1'000;

source_settings folder_of(const std::string& scheduler) {
  source_settings out;
  out.kind = source_kind::folder;
  out.scheduler = scheduler;
  out.from.path = "/srv/in";
  return out;
}

scheduler_settings feeds(const std::string& queue,
                         const std::string& strategy = "fair(*)") {
  scheduler_settings out;
  out.queue = queue;
  out.strategy = strategy;
  return out;
}

class sources_control : public ::testing::Test {
protected:
  /// Refused: the text. Else it is in force, and the text is empty.
  std::string refused(const event& x, ec code = ec::invalid_argument) {
    const auto wrong = rules::check(state, x);
    if (!wrong) {
      rules::apply(state, x);
      return "";
    }
    EXPECT_EQ(wrong, code) << render(wrong);
    return render(wrong);
  }

  std::string refused(const source_changed& x) {
    return refused(event{x});
  }

  void must(const event& x) {
    EXPECT_EQ(refused(x), "");
  }

  /// The queues letters and parcels, and a scheduler of each.
  void set_up() {
    must(queue_changed{"letters", {}});
    must(queue_changed{"parcels", {}});
    must(scheduler_changed{"l", feeds("letters"), false});
    must(scheduler_changed{"p", feeds("parcels"), false});
  }

  source_changed source(const std::string& name,
                        const std::string& scheduler) const {
    return {name, folder_of(scheduler), start_us};
  }

  /// A start with this configuration. Why it is not taken over.
  std::string configure(const sources_seen& seen, micros now_us = 5'000) {
    auto plan = rules::source_changes(state, seen, now_us);
    for (const auto& x : plan.events)
      rules::apply(state, x);
    changes = plan.events.size();
    return plan.refused ? render(plan.refused) : "";
  }

  control_state state;
  std::size_t changes = 0;
};

bool begins(const std::string& text, const std::string& with) {
  return text.starts_with(with);
}

// -- by operators -------------------------------------------------------------

TEST_F(sources_control, go_together_as_a_whole) {
  EXPECT_TRUE(begins(refused(source("a", "l")), "sources.a.scheduler: "));
  set_up();
  EXPECT_EQ(refused(source("a", "l")), "");
  EXPECT_TRUE(
    begins(refused(scheduler_changed{"l", feeds("letters", "fair(b)"), false}),
           "schedulers.l.strategy: column 6: "));
  must(scheduler_changed{"l", feeds("letters", "fair(a)"), false});
  auto moved = source("a", "l");
  moved.settings.capacity = 0;
  EXPECT_TRUE(begins(refused(moved), "sources.a."));
  auto gone = source("a", "l");
  gone.removed = true;
  EXPECT_TRUE(begins(refused(gone), "schedulers.l.strategy: "));
  must(scheduler_changed{"l", feeds("letters"), false});
  EXPECT_TRUE(begins(refused(scheduler_changed{"l", feeds("letters"), true}),
                     "sources.a.scheduler: "));
  EXPECT_EQ(refused(gone), "");
  must(scheduler_changed{"l", feeds("letters"), true});
  EXPECT_NE(refused(event{gone}, ec::not_found), "");
  EXPECT_NE(refused(event{scheduler_changed{"l", {}, true}}, ec::not_found),
            "");
}

TEST_F(sources_control, stay_with_the_queue_that_knows_their_records) {
  set_up();
  must(scheduler_changed{"l2", feeds("letters"), false});
  EXPECT_EQ(refused(source("a", "l")), "");
  EXPECT_TRUE(begins(refused(source("a", "p")), "sources.a.scheduler: "));
  EXPECT_EQ(refused(source("a", "l2")), "") << "the same queue";
  EXPECT_TRUE(begins(refused(scheduler_changed{"l2", feeds("parcels"), false}),
                     "schedulers.l2.queue: "));
  must(scheduler_changed{"l", feeds("parcels"), false});
  auto other = source("a", "l2");
  other.settings.kind = source_kind::s3;
  other.settings.from = {};
  other.settings.from.bucket = "b";
  EXPECT_TRUE(begins(refused(other), "sources.a.kind: "));
  other.made_us = start_us + 1;
  other.settings.scheduler = "p";
  EXPECT_EQ(refused(other), "") << "it is another source";
}

TEST_F(sources_control, feed_queues_of_messages_alone) {
  const auto feeding = [&](const std::string& queue) {
    return refused(event{scheduler_changed{"s", feeds(queue), false}});
  };
  EXPECT_TRUE(begins(feeding("q"), "schedulers.s.queue: there is no queue"));
  must(queue_changed{"q", deposit_queue_defaults()});
  EXPECT_TRUE(begins(feeding("q"), "schedulers.s.queue: q is a queue of"));
  queue_settings collapsing;
  collapsing.dedup = dedup_mode::while_pending;
  must(queue_changed{"d", collapsing});
  EXPECT_TRUE(begins(feeding("d"), "schedulers.s.queue: in d equal items"));
}

TEST_F(sources_control, do_not_take_the_name_of_the_outbox) {
  const scheduler_changed x{"s", feeds(notify_queue), false};
  const auto all = rules::with_queue(state, x);
  must(all.front()); // as if there were no refusal
  EXPECT_TRUE(begins(refused(event{x}), "schedulers.s.queue: crossref.notify"));
}

TEST_F(sources_control, a_queue_comes_with_its_first_scheduler) {
  const scheduler_changed x{"s", feeds("q"), false};
  const auto all = rules::with_queue(state, x);
  ASSERT_EQ(all.size(), 2u);
  for (const auto& one : all)
    must(one);
  EXPECT_EQ(state.queues.at("q").kind, queue_kind::message);
  EXPECT_EQ(rules::with_queue(state, x).size(), 1u);
}

TEST_F(sources_control, are_bounded_in_number) {
  set_up();
  for (std::size_t i = 0; i < rules::sources_max; ++i)
    rules::apply(state, source("s" + std::to_string(i), "l"));
  EXPECT_TRUE(begins(refused(source("one-more", "l")), "sources: "));
  EXPECT_EQ(refused(source("s7", "l")), "") << "it is there already";
  for (std::size_t i = 2; i < rules::schedulers_max; ++i)
    rules::apply(state, scheduler_changed{"x" + std::to_string(i),
                                          feeds("letters"), false});
  EXPECT_TRUE(begins(
    refused(event{scheduler_changed{"one-more", feeds("letters"), false}}),
    "schedulers: "));
}

TEST_F(sources_control, a_queue_shares_out_what_is_known) {
  EXPECT_NE(
    refused(event{fairness_changed{"q", fair_by::bytes}}, ec::not_found), "");
  must(queue_changed{"q", {}});
  must(fairness_changed{"q", fair_by::bytes});
  EXPECT_EQ(state.fairness.at("q").by, fair_by::bytes);
  EXPECT_TRUE(
    begins(refused(event{fairness_changed{"q", static_cast<fair_by>(7)}}),
           "queues.q.fair_by: "));
  must(fairness_changed{"q", fair_by::turns});
  EXPECT_TRUE(state.fairness.empty());
}

// -- by the configuration -----------------------------------------------------

TEST_F(sources_control, of_the_configuration_are_made_with_their_queue) {
  const sources_seen seen{{{"a", folder_of("l")}}, {{"l", feeds("letters")}}};
  EXPECT_EQ(configure(seen), "");
  EXPECT_EQ(state.sources.at("a").settings, seen.sources[0].settings);
  EXPECT_EQ(state.sources.at("a").made_us, 5'000);
  EXPECT_EQ(state.schedulers.at("l").settings, seen.schedulers[0].settings);
  EXPECT_TRUE(state.queues.contains("letters"));
  EXPECT_EQ(state.sources_configured, seen);
  EXPECT_EQ(configure(seen, 9'000), "");
  EXPECT_EQ(changes, 0u) << "nothing is new at the next start";
}

TEST_F(sources_control, what_stayed_the_same_in_the_file_is_the_operators) {
  sources_seen seen{{{"a", folder_of("l")}, {"b", folder_of("l")}},
                    {{"l", feeds("letters")}}};
  configure(seen);
  auto changed = state.sources.at("a");
  changed.settings.capacity = 7;
  changed.settings.replenish_threshold = 3;
  changed.paused = true;
  must(changed);
  auto gone = state.sources.at("b");
  gone.removed = true;
  must(gone);
  configure(seen);
  seen.schedulers[0].settings.high = 77;
  EXPECT_EQ(configure(seen), "");
  EXPECT_EQ(state.schedulers.at("l").settings.high, 77u);
  EXPECT_EQ(state.sources.at("a").settings.capacity, 7u);
  EXPECT_FALSE(state.sources.contains("b"));
  seen.sources[0].settings.capacity = 9;
  EXPECT_EQ(configure(seen), "");
  EXPECT_EQ(state.sources.at("a").settings, seen.sources[0].settings)
    << "the file has said something else";
  EXPECT_TRUE(state.sources.at("a").paused);
  EXPECT_EQ(state.sources.at("a").made_us, 5'000) << "it is the same source";
}

TEST_F(sources_control, what_the_file_changes_brings_back_what_it_needs) {
  sources_seen seen{{{"a", folder_of("l")}, {"b", folder_of("l")}},
                    {{"l", feeds("letters")}}};
  configure(seen);
  for (const auto* name : {"a", "b"}) {
    auto gone = state.sources.at(name);
    gone.removed = true;
    must(gone);
  }
  must(scheduler_changed{"l", feeds("letters"), true});
  seen.sources[0].settings.capacity = 9;
  EXPECT_EQ(configure(seen, 6'000), "");
  EXPECT_TRUE(state.schedulers.contains("l"));
  EXPECT_EQ(state.sources.at("a").made_us, 6'000);
  EXPECT_FALSE(state.sources.contains("b"));
  seen.schedulers[0].settings.strategy = "priority(b, a)";
  EXPECT_EQ(configure(seen), "");
  EXPECT_TRUE(state.sources.contains("b")) << "the strategy names it";
}

TEST_F(sources_control, what_a_file_no_longer_names_stays) {
  configure({{{"a", folder_of("l")}}, {{"l", feeds("letters")}}});
  EXPECT_EQ(configure({}), "");
  EXPECT_TRUE(state.sources.contains("a"));
  EXPECT_EQ(state.sources_configured, sources_seen{});
}

TEST_F(sources_control, one_of_another_kind_is_another_source) {
  sources_seen seen{{{"a", folder_of("l")}}, {{"l", feeds("letters")}}};
  configure(seen);
  auto& settings = seen.sources[0].settings;
  settings.kind = source_kind::s3;
  settings.from = {};
  settings.from.bucket = "b";
  EXPECT_EQ(configure(seen, 8'000), "");
  EXPECT_EQ(state.sources.at("a").made_us, 8'000);
}

TEST_F(sources_control, a_file_that_does_not_fit_changes_nothing) {
  sources_seen seen{{{"a", folder_of("l")}}, {{"l", feeds("letters")}}};
  configure(seen);
  const auto before = state;
  seen.sources[0].settings.capacity = 9;
  seen.schedulers[0].settings.queue = "parcels";
  EXPECT_TRUE(begins(configure(seen), "schedulers.l.queue: "));
  EXPECT_EQ(state, before) << "and it is tried again";
}

TEST_F(sources_control, what_queues_share_out_is_whose_word_was_last) {
  const fairness_seen bytes{{{"q", fair_by::bytes}}};
  const auto start = [&](const fairness_seen& seen) {
    for (const auto& x : rules::fairness_changes(state, seen))
      rules::apply(state, x);
  };
  start(bytes);
  EXPECT_EQ(state.fairness.at("q").by, fair_by::bytes);
  rules::apply(state, fairness_changed{"q", fair_by::seconds});
  start(bytes);
  EXPECT_EQ(state.fairness.at("q").by, fair_by::seconds);
  start({});
  EXPECT_TRUE(state.fairness.empty()) << "the file says turns now";
  EXPECT_TRUE(rules::fairness_changes(state, {}).empty());
}

} // namespace
} // namespace depositd::sources_control_test
