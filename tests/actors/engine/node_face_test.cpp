#include "actors/engine/node_face.hpp"

#include "tests/support/actor_fixture.hpp"
#include "tests/support/other_node.hpp"

#include <optional>

namespace depositd::testing {
namespace {

/// What stands for the shard.
struct fake_shard {
  std::optional<control_state> control; ///< none: not recovered yet
  std::vector<caf::strong_actor_ptr> watchers;
  queue_port_actor port;
};

class node_face_test : public actor_fixture {
protected:
  node_face_test() {
    shard_.control.emplace();
    shard_.control->accounts["ann"] = {"ann", "$argon2id$x", {"10.5555"}};
    shard_.control->operators["bob"] = {"bob", operator_role::look, "$hash"};
  }

  void TearDown() override {
    node_.cut();
    actor_fixture::TearDown();
  }

  void start() {
    const auto shard = spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](const open_ports&) {
                return ports_opened{{{3, port()}}};
              },
              [this](const watch_control& x) -> caf::result<control_changed> {
                if (!shard_.control)
                  return caf::make_error(ec::draining);
                shard_.watchers.push_back(x.who);
                return now();
              }};
    });
    face_ = spawn(engine::node_face,
                  engine::node_face_options{
                    caf::actor_cast<shard_processors_actor>(
                      caf::actor_cast<caf::strong_actor_ptr>(shard)),
                    given_});
  }

  queue_port_actor port() {
    if (!shard_.port)
      shard_.port = caf::actor_cast<queue_port_actor>(
        caf::actor_cast<caf::strong_actor_ptr>(
          spawn([](caf::event_based_actor*) -> caf::behavior {
            return {[](int) { /* lives */ }};
          })));
    return shard_.port;
  }

  control_changed now() {
    return {std::make_shared<const control_state>(*shard_.control), revision_};
  }

  /// The shard tells those who watch.
  void tell() {
    ++revision_;
    for (const auto& who : shard_.watchers)
      self->send(caf::actor_cast<caf::actor>(who), now());
    settle();
  }

  caf::expected<control_changed> watch(const caf::strong_actor_ptr& who) {
    return ask<control_changed>(face_, watch_control{who});
  }

  fake_shard shard_;
  std::uint64_t revision_ = 1;
  std::shared_ptr<engine::grants> given_ =
    std::make_shared<engine::grants>(rules::access::own_people{});
  shard_processors_actor face_;
  other_node node_{sys, 1};
};

TEST_F(node_face_test, shows_a_state_without_secrets) {
  start();
  const auto seen = watch(nullptr);
  ASSERT_TRUE(seen) << render(seen.error());
  EXPECT_EQ(seen->state->accounts.at("ann").password_hash, "");
  EXPECT_EQ(seen->state->accounts.at("ann").prefixes,
            std::vector<std::string>{"10.5555"});
  EXPECT_TRUE(seen->state->operators.empty());
  EXPECT_EQ(seen->revision, 1u);
}

TEST_F(node_face_test, tells_who_watches_of_changes_without_secrets_too) {
  start();
  std::vector<control_changed> told;
  const auto watcher = spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](const control_changed& x) { told.push_back(x); }};
  });
  ASSERT_TRUE(watch(caf::actor_cast<caf::strong_actor_ptr>(watcher)));
  shard_.control->accounts["new"] = {"new", "$argon2id$y", {}};
  tell();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].revision, 2u);
  EXPECT_EQ(told[0].state->accounts.at("new").password_hash, "");
}

TEST_F(node_face_test, answers_when_something_is_known) {
  const auto control = std::exchange(shard_.control, std::nullopt);
  start();
  auto reply = self->request(face_, caf::infinite, watch_control{nullptr});
  settle();
  EXPECT_FALSE(self->has_next_message());
  shard_.control = control;
  advance(std::chrono::seconds{1}); // the follower asks again
  ASSERT_TRUE(self->has_next_message());
  reply.receive(
    [](const control_changed& x) { EXPECT_TRUE(x.state->operators.empty()); },
    [](const caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(node_face_test, does_not_believe_what_a_node_says_is_set) {
  start();
  const auto forged = node_.seen(
    caf::actor_cast<processor_actor>(caf::strong_actor_ptr{self->ctrl()}));
  const auto face = node_.seen(face_);
  control_state state;
  state.accounts["evil"] = {"evil", "", {}};
  self->send(caf::actor_cast<caf::actor>(face),
             control_changed{std::make_shared<const control_state>(state), 9});
  caf::anon_send(
    caf::actor_cast<caf::actor>(face_),
    control_changed{std::make_shared<const control_state>(state), 9});
  settle();
  const auto seen = watch(nullptr);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->state->accounts.count("evil"), 0u);
  EXPECT_EQ(seen->revision, 1u);
}

TEST_F(node_face_test, takes_back_what_a_node_was_given_with_its_role) {
  start();
  peer worker;
  worker.kind = peer_kind::certificate;
  worker.name = "worker";
  given_->let_in(worker);
  ASSERT_TRUE(ask<ports_opened>(face_, open_ports{"q"}));
  tell();
  EXPECT_TRUE(given_->may_address(worker, port().id()));
  shard_.control->operators["worker"] = {"worker", operator_role::look};
  tell();
  EXPECT_FALSE(given_->may_address(worker, port().id()));
  EXPECT_FALSE(given_->may_forward(worker));
}

TEST_F(node_face_test, hands_out_the_ports_that_it_opens) {
  start();
  peer worker;
  worker.kind = peer_kind::certificate;
  worker.name = "worker";
  given_->let_in(worker);
  EXPECT_FALSE(given_->may_address(worker, port().id()));
  const auto ports = ask<ports_opened>(face_, open_ports{"q"});
  ASSERT_TRUE(ports) << render(ports.error());
  ASSERT_EQ(ports->ports.size(), 1u);
  EXPECT_EQ(ports->ports[0].shard, 3u);
  EXPECT_TRUE(given_->may_address(worker, port().id()));
}

} // namespace
} // namespace depositd::testing
