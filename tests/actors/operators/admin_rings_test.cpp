// Whose turn comes next.

#include "tests/actors/operators/admin_access_fixture.hpp"

namespace depositd::testing {
namespace {

members_report::entry in_turn(const std::string& user, std::uint32_t turn,
                              std::uint32_t length, std::uint64_t ready = 1) {
  eligibility_report out;
  out.state = eligibility::eligible;
  out.turn = turn;
  out.length = length;
  out.ready = ready;
  out.turns_taken = 7;
  return {user, out};
}

members_report::entry held(const std::string& user) {
  eligibility_report out;
  out.state = eligibility::held;
  out.ready = 2;
  out.limits.held = true;
  return {user, out};
}

members_report::entry at_cap(const std::string& user) {
  eligibility_report out;
  out.state = eligibility::at_cap;
  out.ready = 2;
  out.in_flight = 4;
  out.limits.concurrency = 4;
  return {user, out};
}

class admin_rings_test : public admin_access_test {
protected:
  admin_rings_test() {
    ring_report ring;
    ring.queue = "metadata";
    ring.processors = 1;
    ring.eligible_users = 2;
    ring.ready = 100;
    ring.in_flight = 20;
    ring.turns_taken = 50;
    ring.finished_per_hour = 60;
    world_.rings.rings.push_back(ring);
  }

  ring_report& ring() {
    return world_.rings.rings.front();
  }

  /// What is said of the only queue.
  json place_of(const members_report::entry& x) {
    const bool eligible = x.report.state == eligibility::eligible;
    (eligible ? ring().in_turn : ring().out_of_turn) = {x};
    const auto out = run("user place", {{"name", x.user}})["queues"];
    EXPECT_EQ(out.size(), 1u);
    return out.at(0);
  }
};

TEST_F(admin_rings_test, a_ring_is_shown_in_the_order_of_turns) {
  ring().in_turn = {in_turn("ann", 1, 2), in_turn("bob", 2, 2, 5)};
  ring().out_of_turn = {held("cid")};
  const auto out = run("queue ring", {{"name", "metadata"}, {"limit", 5}});
  ASSERT_EQ(world_.rings_asked.size(), 1u);
  EXPECT_EQ(world_.rings_asked[0].queue, "metadata");
  EXPECT_EQ(world_.rings_asked[0].count_max, 5u);
  EXPECT_EQ(out["queue"], "metadata");
  EXPECT_EQ(out["next"], "ann");
  EXPECT_EQ(out["turns_taken"], 50);
  EXPECT_EQ(out["suspended"], false);
  ASSERT_EQ(out["users"].size(), 3u);
  EXPECT_EQ(out["users"][1], json::parse(R"({"user":"bob","place":2,
    "waiting":5,"in_process":0,"turns_taken":7,"allocation":1,
    "concurrency":null,"eligible":true,"why":[]})"));
  EXPECT_EQ(out["users"][2]["place"], nullptr);
  EXPECT_EQ(out["users"][2]["eligible"], false);
  EXPECT_EQ(out["users"][2]["why"],
            json::parse(R"(["cid is held by an operator"])"));
}

TEST_F(admin_rings_test, a_limited_operator_sees_the_places_of_their_users) {
  ring().in_turn = {in_turn("C", 1, 2), in_turn("A", 2, 2)};
  ring().out_of_turn = {held("D"), held("B")};
  const auto out =
    run_as(certificate("ltd"), "queue ring", {{"name", "metadata"}});
  ASSERT_EQ(out["users"].size(), 2u);
  EXPECT_EQ(out["users"][0]["user"], "A");
  EXPECT_EQ(out["users"][0]["place"], 2);
  EXPECT_EQ(out["users"][1]["user"], "B");
  EXPECT_EQ(out["next"], nullptr);
  EXPECT_FALSE(send_as(certificate("ltd"), "user place", {{"name", "C"}}));
}

TEST_F(admin_rings_test, nobody_stands_before_the_users_of_who_is_limited) {
  for (std::uint32_t i = 1; i <= 200; ++i)
    ring().in_turn.push_back(in_turn("C" + std::to_string(i), i, 202));
  ring().in_turn.push_back(in_turn("B", 201, 202));
  ring().in_turn.push_back(in_turn("A", 202, 202));
  const auto out =
    run_as(certificate("ltd"), "queue ring", {{"name", "metadata"}});
  ASSERT_EQ(out["users"].size(), 2u);
  EXPECT_EQ(out["users"][0]["user"], "B");
  EXPECT_EQ(out["users"][0]["place"], 201);
  EXPECT_EQ(out["users"][1]["place"], 202);
  EXPECT_EQ(out["next"], nullptr);
  EXPECT_EQ(out["turns_taken"], 50);
  const auto first = run_as(certificate("ltd"), "queue ring",
                            {{"name", "metadata"}, {"limit", 1}});
  ASSERT_EQ(first["users"].size(), 1u);
  EXPECT_EQ(first["users"][0]["user"], "B");
}

TEST_F(admin_rings_test, a_ring_without_users_has_nobody_next) {
  EXPECT_EQ(run("queue ring", {{"name", "metadata"}})["next"], nullptr);
  world_.rings.rings.clear();
  refusal("queue ring", {{"name", "nosuch"}}, ec::not_found);
  EXPECT_TRUE(run("user place", {{"name", "ann"}})["queues"].empty());
}

TEST_F(admin_rings_test, a_place_tells_who_is_before_and_when_it_is_done) {
  const auto out = place_of(in_turn("ann", 2, 2, 3));
  EXPECT_EQ(world_.rings_asked.back().user, "ann");
  EXPECT_EQ(out["place"], 2);
  EXPECT_EQ(out["users_before"], 1);
  EXPECT_EQ(out["waiting"], 3);
  EXPECT_EQ(out["rate_per_hour"], 60);
  // One before it, then twice the other user between its three items: six
  // minutes after half past nine.
  EXPECT_EQ(out["done_by"], "2026-03-01T09:36:00.000Z");
  EXPECT_EQ(out["why"], json::array());
}

TEST_F(admin_rings_test, a_place_in_one_shard_counts_for_all) {
  ring().eligible_users = 40;
  EXPECT_EQ(place_of(in_turn("ann", 2, 4))["place"], 20);
}

TEST_F(admin_rings_test, a_user_at_its_cap_comes_after_all_others) {
  const auto out = place_of(at_cap("ann"));
  EXPECT_EQ(out["place"], 3);
  EXPECT_NE(out["done_by"], nullptr);
  EXPECT_EQ(out["why"], json::parse(R"(["ann has 4 of 4 items in process"])"));
}

TEST_F(admin_rings_test, nothing_is_done_by_a_time_if_nothing_gets_on) {
  EXPECT_EQ(place_of(held("ann"))["done_by"], nullptr);
  EXPECT_EQ(place_of(held("ann"))["place"], nullptr);
  ring().out_of_turn.clear();
  const auto ann = in_turn("ann", 1, 1);
  EXPECT_NE(place_of(ann)["done_by"], nullptr);
  EXPECT_EQ(place_of(in_turn("ann", 1, 1, 0))["done_by"], nullptr);
  ring().suspended = true;
  EXPECT_EQ(place_of(ann)["done_by"], nullptr);
  ring().suspended = false;
  ring().processors = 0;
  EXPECT_EQ(place_of(ann)["done_by"], nullptr);
  ring().processors = 1;
  ring().finished_per_hour = 0;
  EXPECT_EQ(place_of(ann)["done_by"], nullptr);
}

} // namespace
} // namespace depositd::testing
