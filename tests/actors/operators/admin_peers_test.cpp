// What other nodes and engines may do, and how much at once.

#include "tests/actors/operators/admin_access_fixture.hpp"

#include <caf/send.hpp>

namespace depositd::testing {
namespace {

TEST_F(admin_access_test, nodes_producers_and_engines_need_their_right) {
  struct case_row {
    peer who;
    bool works;
    bool is_engine;
  };
  for (const auto& x :
       {case_row{account(500), true, true},
        case_row{account(65534), false, false}, case_row{peer{}, false, false},
        case_row{certificate("engine"), true, true},
        case_row{certificate("worker"), true, false},
        case_row{certificate("rack"), true, false},
        case_row{certificate("anna"), false, false},
        case_row{certificate("ben"), false, false},
        case_row{certificate("carl"), true, true},
        case_row{certificate("ltd"), true, false}}) {
    connect(node, x.who);
    const auto native = ask_from<native_actor>(node, connect_native{});
    EXPECT_EQ(native ? caf::error{} : native.error(),
              x.works ? caf::error{} : caf::make_error(ec::not_allowed))
      << x.who.name << x.who.account;
    const auto joined = ask_from<node_joined>(node, join_node{"n", {}});
    EXPECT_EQ(joined.error(), x.works ? ec::invalid_argument : ec::not_allowed);
    const auto met = ask_from<engine_met>(node, meet_engine{"e2", "", nullptr});
    EXPECT_EQ(static_cast<bool>(met), x.is_engine) << x.who.name;
    EXPECT_EQ(given_->may_forward(x.who), x.works) << x.who.name;
  }
}

TEST_F(admin_access_test, who_is_let_in_reaches_what_was_handed_out) {
  const auto worker = certificate("worker");
  connect(node, worker);
  EXPECT_FALSE(given_->may_address(worker, 7));
  const auto native = ask_from<native_actor>(node, connect_native{});
  ASSERT_TRUE(native);
  EXPECT_TRUE(given_->may_address(worker, (*native).id()));
  EXPECT_FALSE(given_->may_address(worker, (*native).id() + 1));
  EXPECT_FALSE(given_->may_address(certificate("worker-2"), (*native).id()));
  EXPECT_FALSE(given_->may_address(account(65534), (*native).id()));
  EXPECT_TRUE(given_->may_address(account(500), 7)) << "the engine's own";
}

TEST_F(admin_access_test, who_waits_for_no_answers_gets_some_commands_at_once) {
  connect(node, certificate("carl"));
  connect(other, certificate("carl"));
  const auto admin = node.seen(admin_);
  std::map<std::string, int> told;
  const auto flooder = spawn([&](caf::event_based_actor* self) {
    return caf::behavior{[=, &told](int count) {
      for (int i = 0; i < count; ++i)
        self->request(admin, caf::infinite, admin_request{"settings", "{}"})
          .then([&](const admin_reply&) { ++told["answered"]; },
                [&](const caf::error& x) {
                  ++told[x == ec::overloaded ? "refused" : "failed"];
                });
    }};
  });
  node.seen(caf::actor_cast<processor_actor>(flooder));
  const auto ask_many = [&](int count) {
    told.clear();
    caf::anon_send(flooder, count);
    settle();
    return told;
  };
  using answers = std::map<std::string, int>;
  world_.shard_silent = true;
  EXPECT_EQ(ask_many(100), (answers{{"refused", 36}}));
  world_.shard_silent = false;
  EXPECT_TRUE(send_from(other, "settings")) << "others are not held up";
  advance(std::chrono::seconds{60});
  EXPECT_EQ(ask_many(1), (answers{{"answered", 1}}));
}

TEST_F(admin_access_test, nobody_joins_with_a_manager_of_another_node) {
  connect(node, certificate("rack"));
  connect(other, certificate("worker"));
  const auto manager = pose<processor_manager_actor>(
    {[](report_slots) -> caf::result<slots_report> {
      return slots_report{};
    }});
  const auto theirs = node.seen(manager);
  ASSERT_TRUE(ask_from<node_joined>(node, join_node{"n1", theirs}));
  EXPECT_EQ(ask_from<node_joined>(other, join_node{"n1", theirs}).error(),
            ec::invalid_argument);
  EXPECT_EQ(ask_from<node_joined>(other, join_node{"n2", manager}).error(),
            ec::invalid_argument)
    << "this node's";
  const auto own = other.seen(manager);
  EXPECT_TRUE(ask_from<node_joined>(other, join_node{"n2", own}));
}

} // namespace
} // namespace depositd::testing
