#include "actors/engine/grants.hpp"

#include "tests/support/actor_fixture.hpp"
#include "tests/support/other_node.hpp"

namespace depositd::testing {
namespace {

class grants_test : public actor_fixture {
protected:
  peer certificate(const std::string& name) {
    peer out;
    out.kind = peer_kind::certificate;
    out.name = name;
    out.fingerprint = std::string(64, name[0]);
    return out;
  }

  processor_actor somebody() {
    const auto x = spawn([](caf::event_based_actor*) -> caf::behavior {
      return {[](int) { /* lives */ }};
    });
    return caf::actor_cast<processor_actor>(
      caf::actor_cast<caf::strong_actor_ptr>(x));
  }

  engine::grants given{
    rules::access::own_people{.account = 500, .certificate = "engine"}};
  const peer worker = certificate("worker");
};

TEST_F(grants_test, let_nobody_past_before_they_came_in) {
  const auto door = somebody();
  given.hand_out(door, sys.node());
  EXPECT_FALSE(given.may_address(worker, door.id()));
  EXPECT_FALSE(given.may_forward(worker));
  given.let_in(worker);
  EXPECT_TRUE(given.may_address(worker, door.id()));
  EXPECT_FALSE(given.may_address(worker, somebody().id()));
  EXPECT_TRUE(given.may_forward(worker));
}

TEST_F(grants_test, know_a_holder_again_over_another_connection) {
  given.let_in(worker);
  auto renewed = worker;
  renewed.fingerprint = std::string(64, 'f');
  EXPECT_TRUE(given.may_forward(renewed));
  EXPECT_FALSE(given.may_forward(certificate("other")));
}

TEST_F(grants_test, never_let_strangers_past) {
  given.let_in(peer{});
  EXPECT_FALSE(given.may_forward(peer{}));
}

TEST_F(grants_test, let_engines_reach_everything) {
  for (auto who : {certificate("engine"), certificate("second")}) {
    if (who.name == "second")
      given.take_engine(who);
    EXPECT_TRUE(given.may_address(who, 12'345));
    who.forwarded = true; // it brings messages of its nodes
    EXPECT_TRUE(given.may_address(who, 12'345));
    EXPECT_TRUE(given.may_forward(who));
  }
}

TEST_F(grants_test, know_the_engine_s_own_certificate_once_it_is_renewed) {
  auto before = certificate("");
  before.fingerprint = std::string(64, 'b');
  auto after = before;
  after.fingerprint = std::string(64, 'a');
  given.take_certificate("", before.fingerprint);
  EXPECT_TRUE(given.may_forward(before));
  EXPECT_FALSE(given.may_forward(after));
  given.take_certificate("", after.fingerprint);
  EXPECT_TRUE(given.may_forward(after));
  EXPECT_TRUE(given.may_forward(before)) << "its connections are there still";
  EXPECT_FALSE(given.may_forward(certificate("engine")))
    << "the newest one has no name";
}

TEST_F(grants_test, end_when_the_role_is_taken) {
  const auto door = somebody();
  given.hand_out(door, sys.node());
  given.let_in(worker);
  given.let_in(certificate("other"));
  shared_map<std::string, operator_changed> known;
  given.review(known); // whoever is in no register may work
  EXPECT_TRUE(given.may_address(worker, door.id()));
  known["worker"] = {"worker", operator_role::look};
  given.review(known);
  EXPECT_FALSE(given.may_address(worker, door.id()));
  EXPECT_FALSE(given.may_forward(worker));
  EXPECT_TRUE(given.may_forward(certificate("other")));
  EXPECT_TRUE(given.may_forward(certificate("engine")));
}

TEST_F(grants_test, of_who_signed_in_end_with_the_operator_s_role) {
  peer account;
  account.kind = peer_kind::account;
  account.account = 1'000;
  shared_map<std::string, operator_changed> known;
  known["ann"] = {"ann", operator_role::node};
  given.let_in(account, "ann");
  given.review(known);
  EXPECT_TRUE(given.may_forward(account));
  known["ann"] = {"ann", operator_role::look};
  given.review(known);
  EXPECT_FALSE(given.may_forward(account));
}

TEST_F(grants_test, of_engines_end_with_their_role) {
  const auto second = certificate("second");
  shared_map<std::string, operator_changed> known;
  known["second"] = {"second", operator_role::administer};
  given.take_engine(second);
  given.review(known);
  EXPECT_TRUE(given.may_address(second, 12'345));
  known["second"] = {"second", operator_role::operate};
  given.review(known);
  EXPECT_FALSE(given.may_address(second, 12'345));
}

TEST_F(grants_test, are_of_actors_here) {
  other_node elsewhere{sys, 1};
  const auto real = somebody();
  const auto seen = elsewhere.seen(real);
  ASSERT_EQ(seen.id(), real.id());
  given.let_in(worker);
  given.hand_out(seen, sys.node());
  EXPECT_FALSE(given.may_address(worker, real.id()))
    << "the number is another actor's here";
  given.hand_out(processor_actor{}, sys.node());
  elsewhere.cut();
}

} // namespace
} // namespace depositd::testing
