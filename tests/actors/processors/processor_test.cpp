// Slots and their manager on the real core, with a handler moved by hand.

#include "actors/processors/manager.hpp"
#include "tests/actors/processors/patient_bench.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/engine_fixture.hpp"

#include <algorithm>

namespace depositd {

namespace {

using testing::bench;
using testing::engine_fixture;
using testing::patient_handler;
using strings = std::vector<std::string>;
using namespace std::chrono_literals;

/// A shard that recovers until it was asked for ports so often; counts that.
caf::behavior recovering_shard(caf::event_based_actor*,
                               std::shared_ptr<std::size_t> asked,
                               std::size_t until) {
  return {
    [](const watch_control&) -> caf::result<control_changed> {
      return ec::store_failed;
    },
    [=](const open_ports&) -> caf::result<ports_opened> {
      if (++*asked > until)
        return ports_opened{};
      return ec::store_failed;
    },
  };
}

/// A queue that takes nobody as often as `refusals` says.
queue_port_actor::behavior_type
refusing_queue(queue_port_actor::pointer,
               std::shared_ptr<std::size_t> refusals) {
  return {
    [=](const attach&) -> caf::result<attached> {
      if (*refusals == 0)
        return attached{1, {}};
      --*refusals;
      return caf::make_error(ec::store_failed, "no disk");
    },
    [](const settle_and_request&) {},
    [](const cancel_credit&) {},
    [](const renew_claims&) {},
    [](const detach&) -> caf::result<done> { return done{}; },
  };
}

caf::behavior shard_of(caf::event_based_actor*, queue_port_actor queue) {
  return {
    [](const watch_control&) -> caf::result<control_changed> {
      return ec::store_failed;
    },
    [=](const open_ports&) -> caf::result<ports_opened> {
      ports_opened out;
      out.ports.push_back({0, queue});
      return out;
    },
  };
}

class processor_test : public engine_fixture {
protected:
  void SetUp() override {
    start();
    processors::processor_manager_options options;
    options.shard = core;
    options.spawn_handler = [this] { return handler(); };
    options.clock = engine_clock{time_us, sched.clock().now()};
    manager = spawn(processors::processor_manager, options);
  }

  void TearDown() override {
    work_bench->tasks.clear();
    engine_fixture::TearDown();
  }

  static processor_spec spec_of(std::uint32_t slots) {
    processor_spec out;
    out.name = "sp";
    out.types = {"metadata"};
    out.slots = slots;
    return out;
  }

  void set(const processor_spec& spec, bool removed = false) {
    ASSERT_TRUE(change({processor_changed{spec, removed}}));
  }

  std::vector<slots_report::entry> slots() {
    auto reply = ask<slots_report>(manager, report_slots{});
    EXPECT_TRUE(reply);
    return reply ? reply->entries : std::vector<slots_report::entry>{};
  }

  /// Users whose items the handler has in its hands.
  strings users_in_work() const {
    strings out;
    for (const auto& x : work_bench->tasks)
      out.push_back(x.asked.item.user);
    return out;
  }

  bench::task take_task() {
    auto out = work_bench->tasks.at(0);
    work_bench->tasks.erase(work_bench->tasks.begin());
    return out;
  }

  void finish(verdict says = verdict::done) {
    auto task = take_task();
    journal::answer(task.where,
                    caf::make_message(outcome_of(task.asked.item, says)));
    settle();
  }

  /// Of a slot, with which it ends.
  handler_actor handler() {
    auto out = sys.spawn(patient_handler, work_bench);
    adopt(out);
    return out;
  }

  std::shared_ptr<bench> work_bench = std::make_shared<bench>();
  processor_manager_actor manager;
};

TEST_F(processor_test, runs_as_many_slots_as_the_control_state_says) {
  EXPECT_TRUE(slots().empty());
  for (const auto count : {2u, 3u, 1u}) {
    set(spec_of(count));
    EXPECT_EQ(slots().size(), count);
    EXPECT_EQ(report_of("metadata").processors, count);
  }
}

TEST_F(processor_test, handles_an_item_per_slot_and_reports_its_end) {
  set(spec_of(2));
  put("metadata", items_of("ann", 3));
  EXPECT_EQ(work_bench->tasks.size(), 2u);
  EXPECT_EQ(work_bench->tasks.at(0).asked.queue, "metadata");
  EXPECT_EQ(work_bench->tasks.at(0).asked.processor, "sp");
  EXPECT_EQ(work_bench->tasks.at(0).asked.item.body, "ann-1");
  finish();
  finish();
  finish();
  EXPECT_TRUE(work_bench->tasks.empty());
  EXPECT_EQ(report_of("metadata").finished, 3u);
  EXPECT_EQ(report_of("metadata").in_flight, 0u);
}

TEST_F(processor_test, shows_what_a_slot_holds_and_since_when) {
  set(spec_of(1));
  EXPECT_EQ(slots().at(0).item, 0u);
  const auto ids = put("metadata", items_of("ann", 1));
  const auto busy = slots().at(0);
  EXPECT_EQ(busy.item, ids.at(0));
  EXPECT_EQ(busy.user, "ann");
  EXPECT_EQ(busy.since_us, time_us);
  finish();
  EXPECT_EQ(slots().at(0).item, 0u);
  EXPECT_EQ(slots().at(0).since_us, never);
}

TEST_F(processor_test, takes_items_under_changed_criteria) {
  set(spec_of(1));
  auto spec = spec_of(1);
  spec.wants.excluded = {"ann"};
  set(spec);
  EXPECT_EQ(slots().at(0).wants, spec.wants);
  EXPECT_EQ(report_of("metadata").processors, 1u);
  put("metadata", items_of("ann", 1));
  EXPECT_TRUE(work_bench->tasks.empty());
  put("metadata", items_of("bob", 1));
  EXPECT_EQ(users_in_work(), strings{"bob"});
}

TEST_F(processor_test, ends_a_removed_processor_after_its_item) {
  set(spec_of(1));
  put("metadata", items_of("ann", 2));
  set(spec_of(1), true);
  EXPECT_TRUE(slots().empty());
  EXPECT_EQ(report_of("metadata").in_flight, 1u);
  finish();
  EXPECT_TRUE(work_bench->tasks.empty()) << "it takes nothing more";
  const auto report = report_of("metadata");
  EXPECT_EQ(report.finished, 1u);
  EXPECT_EQ(report.in_flight, 0u);
  EXPECT_EQ(report.processors, 0u);
}

TEST_F(processor_test, turns_a_handlers_error_into_a_retry) {
  set(spec_of(1));
  put("metadata", items_of("ann", 1));
  journal::answer(
    take_task().where,
    caf::make_error(ec::malformed, std::string{"no sense in it"}));
  settle();
  EXPECT_TRUE(work_bench->tasks.empty()) << "not before the delay is over";
  EXPECT_EQ(report_of("metadata").in_flight, 0u);
  advance(1s);
  ASSERT_EQ(work_bench->tasks.size(), 1u);
  EXPECT_EQ(work_bench->tasks[0].asked.item.attempt, 2u);
}

TEST_F(processor_test, gives_up_on_a_handler_that_never_answers) {
  set(spec_of(1));
  put("metadata", items_of("ann", 1));
  const auto stuck = take_task();
  advance(599s);
  EXPECT_TRUE(work_bench->tasks.empty());
  advance(1s);
  advance(1s);
  ASSERT_EQ(work_bench->tasks.size(), 1u);
  EXPECT_EQ(work_bench->tasks[0].asked.item.attempt, 2u);
  // What it says after all ends nothing, and is not the end of what it got
  // next.
  journal::answer(stuck.where, caf::make_message(outcome_of(stuck.asked.item)));
  settle();
  EXPECT_EQ(report_of("metadata").finished, 0u);
  EXPECT_EQ(report_of("metadata").in_flight, 1u);
  finish();
  EXPECT_EQ(report_of("metadata").finished, 1u);
}

TEST_F(processor_test, gives_up_on_each_item_at_its_own_time) {
  set(spec_of(2));
  put("metadata", items_of("ann", 1));
  advance(300s);
  put("metadata", items_of("ben", 1));
  advance(300s);
  for (int i = 0; i < 2; ++i)
    advance(1s); // the delay of a retry
  EXPECT_EQ(users_in_work(), (strings{"ann", "ben", "ann"}));
  advance(297s);
  EXPECT_EQ(work_bench->tasks.size(), 3u);
  for (int i = 0; i < 3; ++i)
    advance(1s);
  EXPECT_EQ(users_in_work(), (strings{"ann", "ben", "ann", "ben"}));
}

TEST_F(processor_test, replaces_a_slot_that_died) {
  set(spec_of(1));
  put("metadata", items_of("ann", 1));
  caf::anon_send_exit(take_task().slot, caf::exit_reason::kill);
  settle();
  EXPECT_TRUE(slots().empty());
  advance(1s);
  EXPECT_EQ(slots().size(), 1u);
  ASSERT_EQ(work_bench->tasks.size(), 1u);
  EXPECT_EQ(work_bench->tasks[0].asked.item.attempt, 2u);
}

TEST_F(processor_test, replaces_a_slot_whose_handler_died) {
  set(spec_of(1));
  put("metadata", items_of("ann", 1));
  caf::anon_send_exit(take_task().handler, caf::exit_reason::kill);
  settle();
  EXPECT_TRUE(slots().empty());
  advance(1s);
  EXPECT_EQ(slots().size(), 1u);
  ASSERT_EQ(work_bench->tasks.size(), 1u);
  EXPECT_EQ(work_bench->tasks[0].asked.item.attempt, 2u);
}

TEST_F(processor_test, ends_a_handler_with_its_slot) {
  set(spec_of(2));
  put("metadata", items_of("ann", 2));
  ASSERT_EQ(work_bench->tasks.size(), 2u);
  int gone = 0;
  const auto watching
    = spawn([&](caf::event_based_actor* watcher) -> caf::behavior {
        watcher->set_down_handler([&](const caf::down_msg&) { ++gone; });
        for (const auto& x : work_bench->tasks)
          watcher->monitor(x.handler);
        return {[](int) {}};
      });
  set(spec_of(1));
  EXPECT_EQ(gone, 0) << "it has an item";
  finish();
  finish();
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(slots().size(), 1u);
}

TEST_F(processor_test, tells_its_handler_the_newest_accounts) {
  set(spec_of(1));
  ASSERT_TRUE(change({account_changed{"ann", "hash", {"10.5555"}}}));
  put("metadata", items_of("ann", 2));
  ASSERT_TRUE(change({account_changed{"ann", "hash", {"10.6666"}}}));
  const auto prefixes = [&] {
    return work_bench->tasks.at(0).asked.control->accounts.at("ann").prefixes;
  };
  EXPECT_EQ(prefixes(), strings{"10.5555"});
  finish();
  EXPECT_EQ(prefixes(), strings{"10.6666"});
}

TEST_F(processor_test, replaces_a_slot_under_the_newest_criteria) {
  set(spec_of(1));
  put("metadata", items_of("ann", 1));
  caf::anon_send_exit(take_task().slot, caf::exit_reason::kill);
  settle();
  auto spec = spec_of(2);
  spec.wants.excluded = {"ann"};
  set(spec);
  advance(1s);
  ASSERT_EQ(slots().size(), 2u);
  EXPECT_EQ(slots().at(0).wants, spec.wants);
}

TEST_F(processor_test, comes_back_after_the_shard_started_over) {
  set(spec_of(2));
  fail_appends(*log, 1);
  EXPECT_FALSE(ask<enqueued>(door, enqueue{"metadata", items_of("ann", 1)}));
  advance(1s);
  advance(1s);
  EXPECT_EQ(slots().size(), 2u);
  EXPECT_EQ(report_of("metadata").processors, 2u);
  put("metadata", items_of("ann", 1));
  EXPECT_EQ(users_in_work(), strings{"ann"});
}

TEST_F(processor_test, asks_once_a_second_while_the_shard_recovers) {
  auto asked = std::make_shared<std::size_t>(0);
  processors::processor_manager_options options;
  options.shard = caf::actor_cast<shard_actor>(
    spawn(recovering_shard, asked, std::size_t{99}));
  options.spawn_handler = [this] { return handler(); };
  const auto waiting = spawn(processors::processor_manager, options);
  auto control = std::make_shared<control_state>();
  control->queues["metadata"] = deposit_queue_defaults();
  for (const auto* name : {"a", "b", "c"}) {
    control->processors[name] = spec_of(1);
    control->processors[name].name = name;
  }
  self->send(waiting, control_changed{control});
  settle();
  EXPECT_EQ(*asked, 1u) << "three processors, but one queue";
  for (auto second = 0; second < 6; ++second)
    advance(1s);
  EXPECT_EQ(*asked, 7u);
}

TEST_F(processor_test, tells_once_why_it_waits_and_once_that_it_goes_on) {
  const testing::captured_log said;
  auto asked = std::make_shared<std::size_t>(0);
  processors::processor_manager_options options;
  options.shard = caf::actor_cast<shard_actor>(
    spawn(recovering_shard, asked, std::size_t{10}));
  options.spawn_handler = [this] { return handler(); };
  const auto waiting = spawn(processors::processor_manager, options);
  auto control = std::make_shared<control_state>();
  for (const auto* name : {"metadata", "query"}) {
    control->queues[name] = deposit_queue_defaults();
    control->processors[name] = spec_of(1);
    control->processors[name].name = name;
    control->processors[name].types = {name};
  }
  self->send(waiting, control_changed{control});
  settle();
  for (auto second = 0; second < 4; ++second)
    advance(1s);
  EXPECT_EQ(said.count("processors_wait"), 1u) << said.text();
  EXPECT_EQ(said.count("processors_go_on"), 0u);
  for (auto second = 0; second < 4; ++second)
    advance(1s);
  EXPECT_EQ(said.count("processors_wait"), 1u) << said.text();
  EXPECT_EQ(said.count("processors_go_on"), 1u) << said.text();
}

TEST_F(processor_test, tells_once_for_all_slots_that_they_are_not_attached) {
  const testing::captured_log said;
  const auto refusals = std::make_shared<std::size_t>(3 * 4);
  processors::processor_manager_options options;
  options.shard = caf::actor_cast<shard_actor>(
    spawn(shard_of, spawn(refusing_queue, refusals)));
  options.spawn_handler = [this] { return handler(); };
  const auto waiting = spawn(processors::processor_manager, options);
  auto control = std::make_shared<control_state>();
  control->queues["metadata"] = deposit_queue_defaults();
  control->processors["metadata"] = spec_of(4);
  control->processors["metadata"].name = "metadata";
  self->send(waiting, control_changed{control});
  settle();
  for (auto second = 0; second < 2; ++second)
    advance(1s);
  EXPECT_EQ(*refusals, 0u);
  EXPECT_EQ(said.count("processor_not_attached"), 1u) << said.text();
  EXPECT_EQ(said.count("processors_attached"), 0u);
  advance(1s);
  EXPECT_EQ(said.count("processor_not_attached"), 1u) << said.text();
  EXPECT_EQ(said.count("processors_attached"), 1u) << said.text();
}

TEST_F(processor_test, drains_when_its_slots_hold_nothing) {
  set(spec_of(2));
  put("metadata", items_of("ann", 1));
  auto reply = self->request(manager, caf::infinite, drain{});
  settle();
  EXPECT_FALSE(self->has_next_message());
  finish();
  ASSERT_TRUE(self->has_next_message());
  reply.receive([](done) {},
                [](caf::error& why) { ADD_FAILURE() << render(why); });
  put("metadata", items_of("ann", 1));
  EXPECT_TRUE(work_bench->tasks.empty());
}

TEST_F(processor_test, says_so_if_a_slot_works_on_when_it_is_to_have_ended) {
  set(spec_of(2));
  put("metadata", items_of("ann", 1));
  auto late = self->request(manager, caf::infinite, drain{1'000});
  settle();
  EXPECT_FALSE(self->has_next_message());
  advance(1s);
  ASSERT_TRUE(self->has_next_message());
  late.receive([](done) { ADD_FAILURE() << "it works"; },
               [](caf::error& why) {
                 EXPECT_NE(render(why).find("slots that still work: 1"),
                           std::string::npos)
                   << render(why);
               });
  auto again = self->request(manager, caf::infinite, drain{1'000});
  settle();
  finish();
  ASSERT_TRUE(self->has_next_message());
  again.receive([](done) {},
                [](caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(processor_test, drains_processors_that_are_on_their_way_out) {
  set(spec_of(1));
  put("metadata", items_of("ann", 1));
  set(spec_of(1), true);
  auto reply = self->request(manager, caf::infinite, drain{});
  settle();
  EXPECT_FALSE(self->has_next_message());
  finish();
  ASSERT_TRUE(self->has_next_message());
  reply.receive([](done) {},
                [](caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(processor_test, ends_what_is_on_its_way_out_where_the_shard_began_anew) {
  set(spec_of(1));
  put("metadata", items_of("ann", 1));
  set(spec_of(1), true);
  fail_appends(*log, 1);
  EXPECT_FALSE(ask<enqueued>(door, enqueue{"metadata", items_of("bob", 1)}));
  for (auto i = 0; i < 2; ++i)
    advance(1s);
  auto reply = self->request(manager, caf::infinite, drain{});
  finish();
  ASSERT_TRUE(self->has_next_message()) << "its outcome has nowhere to go";
  reply.receive([](done) {},
                [](caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(processor_test, serves_the_first_of_its_types_that_is_a_queue) {
  auto spec = spec_of(1);
  spec.types = {"special", "metadata"};
  set(spec);
  EXPECT_EQ(slots().at(0).queue, "metadata");
  ASSERT_TRUE(change({queue_changed{"special", deposit_queue_defaults()}}));
  ASSERT_EQ(slots().size(), 1u);
  EXPECT_EQ(slots().at(0).queue, "special");
  put("metadata", items_of("ann", 1));
  put("special", items_of("bob", 1));
  EXPECT_EQ(users_in_work(), strings{"bob"});
}

} // namespace

} // namespace depositd
