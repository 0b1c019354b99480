// Nodes of processors: who gets in, and what operators see of them.

#include "tests/actors/operators/admin_fixture.hpp"
#include "tests/support/other_node.hpp"

namespace depositd::testing {
namespace {

using namespace std::chrono_literals;

class admin_nodes_test : public admin_fixture {
protected:
  void TearDown() override {
    first.cut();
    second.cut();
    admin_fixture::TearDown();
  }

  /// The manager of a node with one slot that holds an item.
  processor_manager_actor manager_of(const std::string& node, item_id item) {
    slots_report::entry slot;
    slot.node = node;
    slot.processor = "metadata";
    slot.slot = 1;
    slot.queue = "metadata";
    slot.item = item;
    slot.user = "ann";
    slot.since_us = 1'772'357'400'000'000;
    return pose<processor_manager_actor>(
      {[](const control_changed&) {},
       [=](report_slots) -> caf::result<slots_report> {
         return slots_report{{slot}};
       },
       [](const drain&) -> caf::result<done> { return done{}; }});
  }

  /// Never says anything.
  processor_manager_actor silent_manager() {
    return pose<processor_manager_actor>(
      {[](report_slots) -> caf::result<slots_report> {
        return caf::delegated<slots_report>{};
      }});
  }

  caf::expected<node_joined> join(const std::string& name,
                                  const processor_manager_actor& manager) {
    return ask<node_joined>(admin_, join_node{name, manager});
  }

  other_node first{sys, 1};
  other_node second{sys, 2};
};

TEST_F(admin_nodes_test, get_what_they_work_with) {
  const auto joined = join("n1", first.seen(manager_of("n1", 0)));
  ASSERT_TRUE(joined) << render(joined.error());
  EXPECT_EQ(joined->engine, "e1");
  EXPECT_TRUE(joined->shard);
  EXPECT_TRUE(joined->stores);
}

TEST_F(admin_nodes_test, are_listed_with_what_their_slots_hold) {
  slots_report::entry own;
  own.processor = "metadata";
  own.slot = 1;
  world_.slots.entries = {own};
  ASSERT_TRUE(join("n1", first.seen(manager_of("n1", 7))));
  const auto x = run("sp list");
  ASSERT_EQ(x["slots"].size(), 2u);
  EXPECT_EQ(x["slots"][0]["node"], nullptr);
  EXPECT_EQ(x["slots"][0]["state"], "idle");
  EXPECT_EQ(x["slots"][1]["node"], "n1");
  EXPECT_EQ(x["slots"][1]["state"], "busy");
  EXPECT_EQ(x["slots"][1]["item"], 7);
  EXPECT_EQ(x["slots"][1]["user"], "ann");
  EXPECT_EQ(x["slots"][1]["since"], "2026-03-01T09:30:00.000Z");
  EXPECT_EQ(x["nodes"], json::parse(R"([{"name":"n1","state":"joined"}])"));
  const auto busy = run("status")["slots"];
  EXPECT_EQ(busy["total"], 2);
  EXPECT_EQ(busy["busy"], 1);
}

TEST_F(admin_nodes_test, that_do_not_answer_are_silent) {
  ASSERT_TRUE(join("n1", first.seen(manager_of("n1", 7))));
  ASSERT_TRUE(join("n2", second.seen(silent_manager())));
  auto reply = self->request(admin_, caf::infinite,
                             admin_request{"sp list", "{}"});
  settle();
  EXPECT_FALSE(self->has_next_message());
  advance(2s);
  ASSERT_TRUE(self->has_next_message());
  reply.receive(
    [](const admin_reply& x) {
      const auto document = json::parse(x.document);
      EXPECT_EQ(document["slots"].size(), 1u);
      EXPECT_EQ(document["nodes"],
                json::parse(R"([{"name":"n1","state":"joined"},
                                {"name":"n2","state":"silent"}])"));
    },
    [](const caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(admin_nodes_test, have_names_of_their_own) {
  ASSERT_TRUE(join("n1", first.seen(manager_of("n1", 0))));
  const auto manager = manager_of("n1", 0);
  EXPECT_EQ(join("n1", second.seen(manager)).error(), ec::already_exists);
  EXPECT_TRUE(join("n1", first.seen(manager_of("n1", 0)))) << "the same again";
  first.cut();
  settle();
  EXPECT_TRUE(run("sp list")["nodes"].empty());
  EXPECT_TRUE(join("n1", second.seen(manager)));
}

TEST_F(admin_nodes_test, need_a_name_and_a_manager) {
  for (const auto* name : {"", "a/b", "..", "n 1"})
    EXPECT_EQ(join(name, first.seen(manager_of("n1", 0))).error(),
              ec::invalid_argument)
      << name;
  EXPECT_EQ(join("n1", {}).error(), ec::invalid_argument);
}

} // namespace
} // namespace depositd::testing
