// Slots on another node: what becomes of their claims when a side goes away.

#include "actors/processors/manager.hpp"
#include "tests/actors/processors/patient_bench.hpp"
#include "tests/support/distant_shard.hpp"
#include "tests/support/engine_fixture.hpp"
#include "tests/support/other_node.hpp"

namespace depositd {

namespace {

using testing::bench;
using testing::distant_shard;
using testing::engine_fixture;
using testing::other_node;
using testing::patient_handler;
using namespace std::chrono_literals;

class remote_processor_test : public engine_fixture {
protected:
  void SetUp() override {
    start();
    processors::processor_manager_options options;
    options.spawn_handler = [this] { return handler(); };
    options.clock = engine_clock{time_us, sched.clock().now()};
    options.node.emplace();
    options.node->name = "n1";
    options.node->slots = 1;
    manager = spawn(processors::processor_manager, options);
    join();
  }

  void TearDown() override {
    work_bench->tasks.clear();
    node.cut();
    engine_fixture::TearDown();
  }

  /// The node reaches the engine (again).
  void join() {
    auto shard = spawn(distant_shard, core, &node);
    caf::anon_send(caf::actor_cast<caf::actor>(manager),
                   meet_shard{caf::actor_cast<caf::strong_actor_ptr>(shard)});
    settle();
  }

  /// Both sides notice that the other is gone.
  void part() {
    node.cut();
    caf::anon_send(caf::actor_cast<caf::actor>(manager), meet_shard{});
    settle();
  }

  void end_node() {
    caf::anon_send_exit(manager, caf::exit_reason::kill);
    settle();
    node.cut();
    settle();
  }

  void restart_engine() {
    crash();
    part();
    start();
  }

  std::size_t in_work() const {
    return work_bench->tasks.size();
  }

  void finish(verdict says = verdict::done) {
    auto task = work_bench->tasks.at(0);
    work_bench->tasks.erase(work_bench->tasks.begin());
    journal::answer(task.where,
                    caf::make_message(outcome_of(task.asked.item, says)));
    settle();
  }

  std::uint64_t items_left() {
    const auto reply
      = ask<items_found>(read_model, peek_items{"metadata", 100, false, false});
    EXPECT_TRUE(reply);
    return reply ? reply->rows.size() : 0;
  }

  other_node node{sys};
  /// Of a slot, with which it ends.
  handler_actor handler() {
    auto out = sys.spawn(patient_handler, work_bench);
    adopt(out);
    return out;
  }

  std::shared_ptr<bench> work_bench = std::make_shared<bench>();
  processor_manager_actor manager;
};

TEST_F(remote_processor_test, works_like_one_inside_the_engine) {
  put("metadata", items_of("ann", 3));
  for (const auto* body : {"ann-1", "ann-2", "ann-3"}) {
    ASSERT_EQ(in_work(), 1u);
    EXPECT_EQ(work_bench->tasks[0].asked.item.body, body);
    finish();
  }
  EXPECT_EQ(in_work(), 0u);
  EXPECT_EQ(report_of("metadata").finished, 3u);
}

TEST_F(remote_processor_test, keeps_its_claim_over_a_restart_of_the_engine) {
  put("metadata", items_of("ann", 1));
  ASSERT_EQ(in_work(), 1u);
  restart_engine();
  const auto other = attach_to("metadata");
  want(other, 1);
  join();
  EXPECT_EQ(report_of("metadata").in_flight, 1u);
  finish();
  EXPECT_EQ(report_of("metadata").finished, 1u);
  EXPECT_TRUE(other.got->items.empty()) << "nobody else got it";
  EXPECT_EQ(items_left(), 0u);
}

TEST_F(remote_processor_test, keeps_an_outcome_until_there_is_an_engine) {
  put("metadata", items_of("ann", 2));
  restart_engine();
  finish();
  EXPECT_EQ(in_work(), 0u);
  join();
  EXPECT_EQ(report_of("metadata").finished, 1u);
  ASSERT_EQ(in_work(), 1u) << "and takes the next";
  EXPECT_EQ(work_bench->tasks[0].asked.item.body, "ann-2");
}

TEST_F(remote_processor_test, tells_again_what_a_crash_swallowed) {
  put("metadata", items_of("ann", 1));
  fail_appends(*log, 1);
  finish(); // the queue has it, and the shard starts over before it is durable
  EXPECT_EQ(items_left(), 1u);
  advance(1s);
  advance(1s);
  EXPECT_EQ(report_of("metadata").finished, 1u);
  EXPECT_EQ(items_left(), 0u);
  EXPECT_EQ(in_work(), 0u) << "it was not done twice";
}

TEST_F(remote_processor_test, forgets_an_outcome_that_was_durable_already) {
  put("metadata", items_of("ann", 1));
  node.mute();
  finish(); // durable, but the node never hears of it
  EXPECT_EQ(items_left(), 0u);
  restart_engine();
  join();
  EXPECT_EQ(report_of("metadata").finished, 0u) << "not by this engine";
  put("metadata", items_of("bob", 1));
  ASSERT_EQ(in_work(), 1u) << "the slot is free";
  EXPECT_EQ(work_bench->tasks[0].asked.item.user, "bob");
}

TEST_F(remote_processor_test, loses_its_claims_at_once_when_it_is_gone) {
  put("metadata", items_of("ann", 1));
  const auto other = attach_to("metadata");
  want(other, 1);
  node.cut();
  settle();
  ASSERT_EQ(other.got->items.size(), 1u) << "no time has passed";
  EXPECT_EQ(other.got->items[0].attempt, 2u);
}

TEST_F(remote_processor_test, none_of_a_lost_node_gets_what_another_had) {
  part(); // the manager's own slots are gone
  put("metadata", items_of("ann", 1));
  const auto far = [&] {
    testing::test_processor out;
    out.actor = spawn(testing::recording_processor, out.got);
    out.door = node.door(*ask<queue_port_actor>(door, open_queue{"metadata"}));
    const auto reply =
      ask<attached>(out.door, attach{out.actor, "far", {}, 60'000});
    EXPECT_TRUE(reply);
    out.number = reply ? reply->processor : 0;
    want(out, 1);
    return out;
  };
  const auto first = far();
  const auto second = far();
  const auto other = attach_to("metadata");
  want(other, 1);
  ASSERT_EQ(first.got->items.size(), 1u);
  node.lose(first.actor);
  settle();
  EXPECT_TRUE(second.got->items.empty());
  ASSERT_EQ(other.got->items.size(), 1u);
  EXPECT_EQ(other.got->items[0].attempt, 2u) << "it was lost once";
}

TEST_F(remote_processor_test, ends_no_claims_of_others_for_want_of_a_name) {
  put("metadata", items_of("ann", 2)); // the node has one of them
  const auto other = attach_to("metadata");
  const auto port = node.door(other.door);
  for (const auto& name : {std::string{}, std::string(1025, 'n')}) {
    auto got = std::make_shared<testing::inbox>();
    const auto who = spawn(testing::recording_processor, got);
    const auto reply = ask<attached>(port, attach{who, name, {}, 60'000, {}});
    EXPECT_FALSE(reply);
    if (!reply)
      continue;
    caf::anon_send(port, settle_and_request{reply->processor, 1, {}});
    settle();
    node.lose(who);
    settle();
  }
  EXPECT_EQ(report_of("metadata").in_flight, 1u);
}

TEST_F(remote_processor_test, drops_what_was_given_to_another_meanwhile) {
  put("metadata", items_of("ann", 1));
  const auto other = attach_to("metadata");
  want(other, 1);
  part();
  ASSERT_EQ(other.got->items.size(), 1u);
  join();
  finish(verdict::failed); // the one that was late
  EXPECT_EQ(report_of("metadata").finished, 0u);
  EXPECT_EQ(report_of("metadata").in_flight, 1u) << "the claim of the other";
  end(other, other.got->items[0]);
  EXPECT_TRUE(other.got->settled.at(0).accepted);
  EXPECT_EQ(report_of("metadata").finished, 1u);
  put("metadata", items_of("bob", 1));
  EXPECT_EQ(in_work(), 1u) << "the slot is free again";
}

TEST_F(remote_processor_test, is_refused_under_an_old_token) {
  put("metadata", items_of("ann", 1));
  const auto old = work_bench->tasks.at(0).asked.item;
  const auto other = attach_to("metadata");
  want(other, 1);
  part();
  end(other, old);
  ASSERT_EQ(other.got->settled.size(), 1u);
  EXPECT_FALSE(other.got->settled[0].accepted);
  EXPECT_EQ(report_of("metadata").finished, 0u);
}

TEST_F(remote_processor_test, extends_the_claim_of_a_handler_that_takes_long) {
  put("metadata", items_of("ann", 1));
  const auto other = attach_to("metadata");
  want(other, 1);
  for (auto i = 0; i < 20; ++i)
    advance(25s); // the lease is a minute
  EXPECT_TRUE(other.got->items.empty());
  EXPECT_EQ(report_of("metadata").in_flight, 1u);
  finish();
  EXPECT_EQ(report_of("metadata").finished, 1u);
}

TEST_F(remote_processor_test, extends_it_after_time_without_an_engine_too) {
  put("metadata", items_of("ann", 1));
  restart_engine();
  advance(25s); // there is nobody to be told
  join();
  const auto other = attach_to("metadata");
  want(other, 1);
  for (auto i = 0; i < 20; ++i)
    advance(25s);
  EXPECT_TRUE(other.got->items.empty());
  EXPECT_EQ(report_of("metadata").in_flight, 1u);
  finish();
  EXPECT_EQ(report_of("metadata").finished, 1u);
}

TEST_F(remote_processor_test, loses_its_claim_with_the_lease_at_last) {
  put("metadata", items_of("ann", 1));
  restart_engine(); // and the node does not come back
  const auto other = attach_to("metadata");
  want(other, 1);
  advance(59s);
  EXPECT_TRUE(other.got->items.empty()) << "the claim is in force";
  advance(1s);
  EXPECT_EQ(other.got->items.size(), 1u);
}

TEST_F(remote_processor_test, ends_what_a_new_process_does_not_hold) {
  put("metadata", items_of("ann", 1));
  restart_engine();
  end_node();
  const auto reached = ask<ports_opened>(core, open_ports{"metadata"});
  ASSERT_TRUE(reached);
  auto got = std::make_shared<testing::inbox>();
  const auto fresh = spawn(testing::recording_processor, got);
  const auto door = reached->ports.at(0).queue;
  const auto taken = ask<attached>(
    door, attach{node.processor(fresh), "n1/metadata/1", {}, 60'000, {}});
  ASSERT_TRUE(taken);
  caf::anon_send(door, settle_and_request{taken->processor, 1, {}});
  settle();
  ASSERT_EQ(got->items.size(), 1u) << "no time has passed";
  EXPECT_EQ(got->items[0].attempt, 2u);
}

/// A slot of a node that comes, and comes again with what it holds.
class returning_processor : public remote_processor_test {
protected:
  void SetUp() override {
    remote_processor_test::SetUp();
    end_node();
    door = node.door(
      ask<ports_opened>(core, open_ports{"metadata"})->ports.at(0).queue);
    mine = spawn(testing::recording_processor, got);
  }

  attached come(std::vector<held_claim> holds) {
    const auto out = ask<attached>(
      door, attach{mine, "n1/metadata/7", {}, 60'000, std::move(holds)});
    EXPECT_TRUE(out);
    return out ? *out : attached{};
  }

  /// It is given all of these.
  void take(const std::vector<new_item>& items) {
    const auto number = come({}).processor;
    put("metadata", items);
    const auto count = static_cast<std::uint32_t>(items.size());
    caf::anon_send(door, settle_and_request{number, count, {}});
    settle();
    ASSERT_EQ(got->items.size(), items.size());
  }

  queue_port_actor door;
  std::shared_ptr<testing::inbox> got = std::make_shared<testing::inbox>();
  processor_actor mine;
};

TEST_F(returning_processor, is_told_which_of_its_claims_are_in_force) {
  auto items = items_of("ann", 2);
  items.push_back({"bob", 0, "bob-1"});
  take(items);
  std::vector<held_claim> holds;
  for (const auto& x : got->items)
    holds.push_back({x.id, x.token, x.user});
  holds.erase(holds.begin());       // lost on the way
  holds.push_back({99, 1, "ann"});  // never was
  holds.push_back({99, 1, "eve"});  // nor the user
  const auto back = come(holds);
  ASSERT_EQ(back.members.size(), 4u);
  EXPECT_NE(back.members[0], no_member);
  EXPECT_NE(back.members[1], no_member);
  EXPECT_EQ(back.members[2], no_member);
  EXPECT_EQ(back.members[3], no_member);
  EXPECT_EQ(report_of("metadata").processors, 1u);
  EXPECT_EQ(report_of("metadata").in_flight, 2u);
  EXPECT_EQ(report_of("metadata").ready, 1u);
}

TEST_F(returning_processor, gives_back_the_only_claim_of_a_user) {
  auto items = items_of("ann", 1);
  items.push_back({"bob", 0, "bob-1"});
  take(items);
  std::vector<held_claim> holds;
  for (const auto& x : got->items)
    if (x.user == "bob") // ann's was lost on the way
      holds.push_back({x.id, x.token, x.user});
  come(holds);
  EXPECT_EQ(report_of("metadata").in_flight, 1u);
  EXPECT_EQ(report_of("metadata").ready, 1u);
}

TEST_F(returning_processor, gives_back_what_it_named_when_it_goes_after_all) {
  take(items_of("ann", 1));
  const auto held = got->items.at(0);
  come({{held.id, held.token, held.user}});
  ASSERT_EQ(report_of("metadata").in_flight, 1u);
  caf::anon_send_exit(mine, caf::exit_reason::kill);
  settle();
  EXPECT_EQ(report_of("metadata").in_flight, 0u);
  EXPECT_EQ(report_of("metadata").ready, 1u) << "not when its lease ends";
}

TEST_F(remote_processor_test, drains_only_when_the_engine_knows_the_outcome) {
  put("metadata", items_of("ann", 1));
  restart_engine();
  auto reply = self->request(manager, caf::infinite, drain{60'000});
  settle();
  finish();
  EXPECT_FALSE(self->has_next_message()) << "nobody has heard of it";
  join();
  ASSERT_TRUE(self->has_next_message());
  reply.receive([](done) {},
                [](caf::error& why) { ADD_FAILURE() << render(why); });
  EXPECT_EQ(report_of("metadata").finished, 1u);
}

TEST_F(remote_processor_test, serves_queues_that_nobody_named_a_processor_for) {
  // `processors.count` is 0 in this engine, so no SP is named at all.
  const auto slots = ask<slots_report>(manager, report_slots{});
  ASSERT_TRUE(slots);
  ASSERT_EQ(slots->entries.size(), 1u);
  EXPECT_EQ(slots->entries[0].node, "n1");
  EXPECT_EQ(slots->entries[0].processor, "metadata");
  EXPECT_EQ(slots->entries[0].queue, "metadata");
}

} // namespace

} // namespace depositd
