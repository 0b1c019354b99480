// Records of sources in the shard of their queue: each key once, whatever
// crashes.

#include "messages/sources.hpp"
#include "tests/support/polling_fixture.hpp"

#include <caf/event_based_actor.hpp>

#include <memory>

namespace depositd {

namespace {

using namespace std::chrono_literals;

class record_feeding_test : public testing::polling_fixture {
protected:
  using states = std::vector<record_state>;

  static constexpr auto unknown = record_state::unknown;
  static constexpr auto queued = record_state::queued;
  static constexpr auto finished = record_state::finished;
  static constexpr auto failed = record_state::failed;

  void SetUp() override {
    start();
    ASSERT_TRUE(change({queue_changed{"q", settings}}));
    scheduler_changed scheduler;
    scheduler.name = "main";
    scheduler.settings.queue = "q";
    ASSERT_TRUE(change({scheduler}));
    add_source("a", 7);
  }

  static source_changed a_source(const std::string& name, micros made_us) {
    source_changed out;
    out.name = name;
    out.settings.kind = source_kind::folder;
    out.settings.scheduler = "main";
    out.settings.from.path = "/in";
    out.made_us = made_us;
    return out;
  }

  void add_source(const std::string& name, micros made_us) {
    const auto done = change({a_source(name, made_us)});
    ASSERT_TRUE(done) << render(done.error());
  }

  void remove_source(const std::string& name) {
    source_changed gone;
    gone.name = name;
    gone.removed = true;
    ASSERT_TRUE(change({gone}));
  }

  static feed_records::one record_of(const std::string& key,
                                     const std::string& user = "ann") {
    return {key, user, "body of " + key, false};
  }

  feed_records message(const strings& keys) const {
    feed_records out;
    out.queue = "q";
    out.source = "a";
    out.made_us = made_us;
    out.known_max = known_max;
    for (const auto& key : keys)
      out.records.push_back(record_of(key));
    return out;
  }

  /// What was known of them before.
  states feed(const feed_records& x) {
    auto out = ask<records_fed>(core, x);
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? out->was : states{};
  }

  states feed(const strings& keys) {
    return feed(message(keys));
  }

  caf::error refusal_of(const feed_records& x) {
    auto out = ask<records_fed>(core, x);
    EXPECT_FALSE(out);
    return out ? caf::error{} : out.error();
  }

  record_found look_up(const std::string& key) {
    auto out = ask<record_found>(core, look_up_record{"q", "a", made_us, key});
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? *out : record_found{};
  }

  record_state state_of(const std::string& key) {
    return look_up(key).state;
  }

  records_counted counts() {
    auto out = ask<records_counted>(core, count_records{"q", "a", made_us});
    EXPECT_TRUE(out);
    return out ? *out : records_counted{};
  }

  queue_measured measured(const strings& users = {},
                          const std::string& queue = "q") {
    auto out = ask<queue_measured>(core, measure_queue{queue, users});
    EXPECT_TRUE(out);
    return out ? *out : queue_measured{};
  }

  std::vector<record_row> failed_rows() {
    failed_query query;
    query.queue = "q";
    query.source = "a";
    query.made_us = made_us;
    auto out = ask<failed_found>(read_model, query);
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? out->rows : std::vector<record_row>{};
  }

  /// Takes and ends so many items.
  void work_off(std::uint32_t count, verdict says = verdict::done) {
    const auto taken = poll("q", count);
    EXPECT_EQ(taken.size(), count);
    finish("q", names_of(taken), says);
  }

  /// Lets the projector take everything into the tables.
  void project() {
    ASSERT_TRUE(ask<submissions_found>(read_model, submission_query{}));
  }

  control_snapshot control() {
    auto known = ask<control_changed>(core, watch_control{nullptr});
    EXPECT_TRUE(known);
    return known ? known->state : nullptr;
  }

  queue_settings settings;
  micros made_us = 7;
  std::uint64_t known_max = 1'000;
};

// -- taking -------------------------------------------------------------------

TEST_F(record_feeding_test, makes_items_of_what_is_new) {
  auto x = message({"k1"});
  x.records.push_back(record_of("k2", "Société Générale"));
  EXPECT_EQ(feed(x), (states{unknown, unknown}));
  const auto taken = poll("q");
  EXPECT_EQ(bodies_of(taken), (strings{"body of k1", "body of k2"}));
  EXPECT_EQ(measured({"ann", "Société Générale", "eve"}).of_users,
            (std::vector<std::uint64_t>{1, 1, 0}));
}

TEST_F(record_feeding_test, says_what_is_known_and_makes_nothing_of_it) {
  EXPECT_EQ(feed(strings{"k1", "k2", "k1"}),
            (states{unknown, unknown, queued}));
  EXPECT_EQ(feed(strings{"k3", "k2"}), (states{unknown, queued}));
  EXPECT_EQ(size("q"), 3u);
  work_off(1);
  work_off(1, verdict::failed);
  EXPECT_EQ(feed(strings{"k1", "k2", "k3"}),
            (states{finished, failed, queued}));
  EXPECT_EQ(size("q"), 1u);
}

TEST_F(record_feeding_test, feeds_by_hand_whatever_is_known) {
  feed(strings{"k1", "k2"});
  work_off(1, verdict::failed);
  auto x = message({"k1", "k2"});
  for (auto& one : x.records)
    one.by_hand = true;
  EXPECT_EQ(feed(x), (states{unknown, unknown}));
  EXPECT_EQ(size("q"), 3u);
  const auto taken = poll("q");
  ASSERT_EQ(taken.size(), 3u);
  // The item that had the key k2 before says nothing of it any more.
  finish("q", {taken[0].name}, verdict::failed);
  EXPECT_EQ(look_up("k2").id, taken[2].name.id);
  finish("q", {taken[1].name, taken[2].name});
  EXPECT_EQ(feed(strings{"k1", "k2"}), (states{finished, finished}));
  EXPECT_EQ(counts().failed, 2u);
  EXPECT_EQ(counts().finished, 2u);
}

TEST_F(record_feeding_test, forgets_the_oldest_that_are_over) {
  known_max = 2;
  auto with_two = a_source("a", made_us);
  with_two.settings.known_max = known_max;
  ASSERT_TRUE(change({with_two}));
  feed(strings{"k1", "k2", "k3", "lives"});
  work_off(3);
  EXPECT_EQ(counts().remembered, 2u);
  restart();
  EXPECT_EQ(state_of("k1"), unknown);
  EXPECT_EQ(feed(strings{"k3", "k2", "k1", "lives"}),
            (states{finished, finished, unknown, queued}));
  EXPECT_EQ(counts().finished, 3u) << "what is forgotten has been";
  project();
  restart();
  EXPECT_EQ(feed(strings{"k3", "k2", "k1", "lives"}),
            (states{finished, finished, queued, queued}));
}

TEST_F(record_feeding_test, refuses_what_it_cannot_take) {
  EXPECT_EQ(refusal_of(message(strings(feed_records_max + 1, "k"))),
            ec::too_large);
  auto x = message({"k"});
  x.records[0].body.assign(feed_bytes_max, 'x');
  EXPECT_EQ(refusal_of(x), ec::too_large);
  x = message({"k"});
  x.queue = "metadata"; // of deposits
  EXPECT_EQ(refusal_of(x), ec::invalid_argument);
  x.queue = "*";
  EXPECT_EQ(refusal_of(x), ec::invalid_argument);
  x = message({"k"});
  x.source = "b";
  EXPECT_EQ(refusal_of(x), ec::stale_claim);
  x = message({"k"});
  x.made_us = 6;
  EXPECT_EQ(refusal_of(x), ec::stale_claim);
  EXPECT_EQ(size("q"), 0u);
  EXPECT_EQ(state_of("k"), unknown);
}

TEST_F(record_feeding_test, keeps_what_no_item_can_be_made_of_as_bad) {
  auto x = message({"", "k"});
  x.records.push_back(record_of("long"));
  x.records[2].body.assign(inline_body_bytes_max + 1, 'x');
  EXPECT_EQ(feed(x), (states{failed, unknown, failed}));
  EXPECT_EQ(size("q"), 1u);
  const auto kept = failed_rows();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[1].key, "long");
  EXPECT_EQ(kept[1].body.size(), refused_body_bytes_max);
}

TEST_F(record_feeding_test, keeps_bad_records_once) {
  auto x = message({});
  x.bad = {{"k1", "ann", "no JSON", "{", 0}, {"", "", "no key", "{}", 0}};
  EXPECT_EQ(feed(x), states{});
  EXPECT_EQ(feed(x), states{});
  restart();
  EXPECT_EQ(feed(x), states{});
  const auto kept = failed_rows();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].key, "k1");
  EXPECT_EQ(kept[0].user, "ann");
  EXPECT_EQ(kept[0].reason, "no JSON");
  EXPECT_EQ(kept[0].body, "{");
  EXPECT_EQ(kept[1].body, "{}");
  EXPECT_EQ(state_of("k1"), unknown) << "it may come as a good one";
}

// -- what became of them ------------------------------------------------------

TEST_F(record_feeding_test, follows_each_record) {
  feed(strings{"k1", "k2"});
  const auto taken = poll("q", 1);
  ASSERT_EQ(taken.size(), 1u);
  auto found = look_up("k1");
  EXPECT_EQ(found.state, record_state::claimed);
  EXPECT_EQ(found.id, taken[0].name.id);
  EXPECT_EQ(found.attempt, 1u);
  EXPECT_EQ(found.user, "ann");
  EXPECT_EQ(state_of("k2"), queued);
  EXPECT_EQ(state_of("never"), unknown);
  EXPECT_EQ(counts().claimed, 1u);
  EXPECT_EQ(counts().queued, 1u);
  finish("q", names_of(taken), verdict::release);
  EXPECT_EQ(state_of("k1"), queued);
  EXPECT_EQ(counts().claimed, 0u);
  work_off(1);
  found = look_up("k1");
  EXPECT_EQ(found.state, finished);
  EXPECT_EQ(found.id, 0u);
  EXPECT_EQ(found.user, "ann");
  EXPECT_EQ(counts().finished, 1u);
  EXPECT_EQ(counts().remembered, 1u);
}

TEST_F(record_feeding_test, hears_of_them_from_those_who_have_them_only) {
  feed(strings{"k1", "k2"});
  const auto before = look_up("k1");
  ASSERT_EQ(before.state, queued);
  records_moved late; // of an actor that has died since
  late.user = "ann";
  late.queue = "q";
  late.claimed.push_back({"a", made_us, 1});
  late.ended.push_back({"a", made_us, "k1", before.id, false});
  late.moved = 3;
  caf::anon_send(core, late);
  settle();
  EXPECT_EQ(state_of("k1"), queued);
  EXPECT_EQ(counts().claimed, 0u);
  EXPECT_EQ(measured().left, 2u);
}

TEST_F(record_feeding_test, counts_claims_that_end_by_themselves) {
  feed(strings{"k1", "k2", "k3"});
  const auto taken = poll("q", 3, 1'000);
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(counts().claimed, 3u);
  renew("q", names_of(taken), 2'000);
  EXPECT_EQ(counts().claimed, 3u) << "as before";
  renew("q", {taken[0].name}, 0);
  EXPECT_EQ(counts().claimed, 2u);
  advance(3s);
  EXPECT_EQ(counts().claimed, 0u);
  EXPECT_EQ(counts().queued, 3u);
  renew("q", {taken[1].name}, 2'000); // claims it anew
  EXPECT_EQ(counts().claimed, 1u);
  purge("q");
  EXPECT_EQ(counts().claimed, 0u);
  EXPECT_EQ(counts().queued, 0u);
  EXPECT_EQ(counts().finished, 3u) << "a purged item is finished";
}

TEST_F(record_feeding_test, measures_what_is_left_in_the_queue) {
  feed(strings{"k1", "k2", "k3", "k4"});
  put("q", items_of("ann", 2));
  EXPECT_EQ(measured({"ann"}).left, 6u);
  EXPECT_EQ(measured({"ann"}).of_users, std::vector<std::uint64_t>{4});
  const auto taken = poll("q", 2);
  finish("q", {taken[0].name}, verdict::retry);
  EXPECT_EQ(measured().left, 6u) << "claimed and delayed ones are left";
  park_matching park;
  park.queue = "q";
  park.to_us = time_us * 2;
  ASSERT_TRUE(ask<matching_parked>(core, park));
  const auto parked = 6u - measured().left;
  EXPECT_GE(parked, 4u);
  restart();
  EXPECT_EQ(measured().left, 6u - parked);
  park.parked = false;
  ASSERT_TRUE(ask<matching_parked>(core, park));
  EXPECT_EQ(measured().left, 6u);
  purge("q");
  EXPECT_EQ(measured({"ann"}).left, 0u);
  EXPECT_EQ(measured({"ann"}).of_users, std::vector<std::uint64_t>{0});
  EXPECT_EQ(measured({"ann"}, "never").left, 0u);
}

TEST_F(record_feeding_test, keeps_failed_ones_with_their_bodies) {
  feed(strings{"k1", "k2", "k3"});
  work_off(1, verdict::failed);
  project(); // one from before the slice, one from within it
  work_off(1, verdict::failed);
  feed(strings{"k4"});
  finish("q", {poll("q", 1)[0].name});
  work_off(1, verdict::failed);
  const auto kept = failed_rows();
  ASSERT_EQ(kept.size(), 3u);
  const strings keys{"k1", "k2", "k4"};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(kept[i].key, keys[i]);
    EXPECT_EQ(kept[i].body, "body of " + keys[i]);
    EXPECT_EQ(kept[i].user, "ann");
  }
  EXPECT_LT(kept[0].place, kept[1].place);
}

TEST_F(record_feeding_test, follows_items_to_another_queue) {
  feed(strings{"k1", "k2"});
  (void)poll("q", 1);
  move("q", "other");
  EXPECT_EQ(size("other"), 2u);
  EXPECT_EQ(counts().queued, 2u);
  EXPECT_EQ(measured({"ann"}).of_users, std::vector<std::uint64_t>{0});
  EXPECT_EQ(measured({"ann"}, "other").of_users, std::vector<std::uint64_t>{2});
  for (auto round = 0; round < 2; ++round) {
    EXPECT_EQ(feed(strings{"k1", "k2"}), (states{queued, queued}));
    EXPECT_EQ(measured({"ann"}, "other").of_users,
              std::vector<std::uint64_t>{2});
    restart();
  }
  finish("other", names_of(poll("other")));
  EXPECT_EQ(feed(strings{"k1", "k2"}), (states{finished, finished}));
  EXPECT_EQ(measured({"ann"}, "other").of_users, std::vector<std::uint64_t>{0});
}

// -- across crashes -----------------------------------------------------------

TEST_F(record_feeding_test, knows_all_of_it_after_a_crash) {
  feed(strings{"live1", "done1", "failed1"});
  auto taken = poll("q");
  ASSERT_EQ(taken.size(), 3u);
  finish("q", {taken[1].name});
  finish("q", {taken[2].name}, verdict::failed);
  project(); // some from the tables, some from the journal behind them
  feed(strings{"live2", "done2"});
  taken = poll("q");
  ASSERT_EQ(taken.size(), 2u);
  finish("q", {taken[1].name});
  for (auto round = 0; round < 3; ++round) {
    restart();
    EXPECT_EQ(feed(strings{"live1", "live2", "done1", "done2", "failed1"}),
              (states{queued, queued, finished, finished, failed}));
    EXPECT_EQ(state_of("live1"), record_state::claimed);
    const auto now = counts();
    EXPECT_EQ(now.claimed, 2u);
    EXPECT_EQ(now.queued, 0u);
    EXPECT_EQ(now.finished, 2u);
    EXPECT_EQ(now.failed, 1u);
    EXPECT_EQ(now.remembered, 3u);
    EXPECT_EQ(measured({"ann"}).of_users, std::vector<std::uint64_t>{2});
    if (round == 1)
      project();
  }
  finish("q", {taken[0].name});
  EXPECT_EQ(state_of("live2"), finished);
  EXPECT_EQ(counts().finished, 3u);
}

TEST_F(record_feeding_test, ends_records_whose_processor_died_with_the_engine) {
  settings.attempts_max = 1;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  feed(strings{"k1", "k2"});
  auto sp = attach_to("q");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  restart();
  EXPECT_EQ(state_of("k1"), failed);
  EXPECT_EQ(state_of("k2"), queued);
  EXPECT_EQ(counts().failed, 1u);
  EXPECT_EQ(counts().claimed, 0u);
  project();
  restart();
  EXPECT_EQ(state_of("k1"), failed);
  const auto kept = failed_rows();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].body, "body of k1");
}

// -- sources and positions ----------------------------------------------------

TEST_F(record_feeding_test, a_later_source_of_the_name_begins_anew) {
  feed(strings{"k1"});
  feed(strings{"k2"});
  work_off(1);
  remove_source("a");
  EXPECT_EQ(refusal_of(message({"k"})), ec::stale_claim);
  EXPECT_EQ(counts().finished, 0u);
  add_source("a", 8);
  EXPECT_EQ(refusal_of(message({"k"})), ec::stale_claim);
  made_us = 8;
  for (auto round = 0; round < 2; ++round) {
    EXPECT_EQ(feed(strings{"k1"}), states{round == 0 ? unknown : queued});
    EXPECT_EQ(counts().queued, 1u);
    EXPECT_EQ(counts().finished, 0u);
    project();
    restart();
  }
  EXPECT_EQ(size("q"), 2u) << "what was queued stays";
  work_off(2);
  EXPECT_EQ(counts().finished, 1u);
}

TEST_F(record_feeding_test, keeps_positions) {
  source_read what;
  what.source = "a";
  what.made_us = 7;
  what.has_cursor = true;
  what.cursor = "17";
  const auto watched = std::make_shared<int>(0);
  const auto watcher = spawn([=](caf::event_based_actor*) -> caf::behavior {
    return {[=](const control_changed&) { ++*watched; }};
  });
  ASSERT_TRUE(ask<control_changed>(
    core, watch_control{caf::actor_cast<caf::strong_actor_ptr>(watcher)}));
  ASSERT_TRUE(ask<done>(core, keep_position{what}));
  what.cursor = "18";
  ASSERT_TRUE(ask<done>(core, keep_position{what}));
  ASSERT_TRUE(ask<done>(core, keep_position{what}));
  EXPECT_EQ(*watched, 0) << "it concerns nobody else";
  restart();
  EXPECT_EQ(control()->positions.at("a"), what);
  project();
  restart();
  EXPECT_EQ(control()->positions.at("a"), what);
}

TEST_F(record_feeding_test, refuses_positions_of_other_sources) {
  source_read what;
  what.source = "b";
  what.made_us = 7;
  EXPECT_EQ(ask<done>(core, keep_position{what}).error(), ec::not_found);
  what.source = "a";
  what.made_us = 6;
  EXPECT_EQ(ask<done>(core, keep_position{what}).error(), ec::stale_claim);
  what.made_us = 7;
  what.cursor.assign(1 << 20, 'x');
  EXPECT_EQ(ask<done>(core, keep_position{what}).error(), ec::invalid_argument);
  EXPECT_TRUE(control()->positions.empty());
}

TEST_F(record_feeding_test, a_position_goes_with_its_source) {
  source_read what;
  what.source = "a";
  what.made_us = 7;
  ASSERT_TRUE(ask<done>(core, keep_position{what}));
  remove_source("a");
  EXPECT_TRUE(control()->positions.empty());
  restart();
  EXPECT_TRUE(control()->positions.empty());
}

// -- schedulers ---------------------------------------------------------------

schedulers_actor::behavior_type asked_schedulers(schedulers_actor::pointer,
                                                 std::string next) {
  return {
    [](const control_changed&) {},
    [](const report_schedulers& x) {
      schedulers_reported out;
      out.schedulers.emplace_back().name = x.scheduler;
      return out;
    },
    [](const find_record&) { return record_found{record_state::buffered}; },
    [next](const explain_strategy& x) {
      strategy_explained out;
      out.strategy = x.strategy;
      out.next = next;
      return out;
    },
    [](const test_source&) { return source_tested{}; },
    [](const feed_by_hand& x) {
      return fed_by_hand{x.records.size(), {}};
    },
  };
}

TEST_F(record_feeding_test, passes_on_what_operators_ask) {
  const auto none = ask<schedulers_reported>(core, report_schedulers{});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->schedulers.empty());
  EXPECT_EQ(ask<schedulers_reported>(core, report_schedulers{"main"}).error(),
            ec::not_found);
  EXPECT_EQ(ask<source_tested>(core, test_source{"main", "a"}).error(),
            ec::not_found);
  const auto who = spawn(asked_schedulers, std::string{"b"});
  const auto meet = [&](const caf::strong_actor_ptr& whom) {
    caf::anon_send(core, meet_schedulers{whom});
    settle();
  };
  meet(caf::actor_cast<caf::strong_actor_ptr>(who));
  const auto some = ask<schedulers_reported>(core, report_schedulers{"main"});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->schedulers.at(0).name, "main");
  EXPECT_EQ(ask<record_found>(core, find_record{"main", "a", "k"})->state,
            record_state::buffered);
  const auto explained =
    ask<strategy_explained>(core, explain_strategy{"main", "a"});
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->strategy, "a");
  EXPECT_EQ(explained->next, "b");
  EXPECT_TRUE(ask<source_tested>(core, test_source{"main", "a"}));
  EXPECT_EQ(ask<fed_by_hand>(core, feed_by_hand{"main", "a", {{}, {}}})->fed,
            2u);
  meet(nullptr);
  EXPECT_EQ(ask<record_found>(core, find_record{"main", "a", "k"}).error(),
            ec::not_found);
}

} // namespace

} // namespace depositd
