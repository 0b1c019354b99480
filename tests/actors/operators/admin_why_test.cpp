#include "actors/operators/why.hpp"

#include <gtest/gtest.h>

namespace depositd {
namespace {

item_explained a_waiting_item() {
  item_explained out;
  out.live = true;
  out.queue = "metadata";
  out.user = "ann";
  out.item.id = 7;
  out.item.ahead = 4;
  out.member.processors = 2;
  out.member.processors_matching = 1;
  out.member.report.state = eligibility::eligible;
  out.member.report.turn = 3;
  out.member.report.length = 10;
  out.member.report.in_flight = 1;
  out.member.report.limits = {1, 4, false, false};
  return out;
}

std::vector<std::string> reasons_of(const item_explained& x) {
  std::vector<std::string> out;
  const auto found = operators::why_document(x, {});
  for (const auto& reason : found["reasons"])
    out.push_back(reason["reason"]);
  EXPECT_EQ(found["reason"], out.front());
  return out;
}

using reasons = std::vector<std::string>;

TEST(why, an_eligible_item_has_a_turn) {
  const auto x = operators::why_document(a_waiting_item(), {});
  EXPECT_EQ(x["reason"], "turn");
  EXPECT_EQ(x["turn"], 3);
  EXPECT_EQ(x["turns"], 10);
  EXPECT_EQ(x["ahead"], 4);
  EXPECT_EQ(x["text"],
            "turn 3 of 10 for ann, and 4 items of this user before it");
}

TEST(why, a_turn_that_hangs_on_costs_tells_them) {
  auto x = a_waiting_item();
  x.member.report.ahead = 1200;
  x.member.report.charge = 300;
  control_state state;
  state.fairness["metadata"] = {"metadata", fair_by::bytes, 1};
  EXPECT_EQ(operators::why_document(x, state)["text"],
            "turn 3 of 10 for ann, and 4 items of this user before it; ann is "
            "1200 bytes ahead of who is next, and an item of it is thought to "
            "cost 300 bytes");
  state.fairness["metadata"] = {"metadata", fair_by::seconds, 2};
  x.member.report.limits.allocation = 3;
  EXPECT_EQ(operators::why_document(x, state)["text"],
            "turn 3 of 10 for ann, and 4 items of this user before it; ann is "
            "1200 ms for each of its 3 shares ahead of who is next, and an "
            "item of it is thought to cost 300 ms");
}

TEST(why, what_waits_for_its_time_has_failed_only_if_it_was_tried) {
  auto x = a_waiting_item();
  x.item.state = item_state::delayed;
  x.item.available_us = 1'700'000'000'000'000;
  EXPECT_EQ(operators::why_document(x, {})["reasons"][0]["text"],
            "its first attempt is not before 2023-11-14T22:13:20.000Z");
  x.item.attempt = 2;
  EXPECT_EQ(operators::why_document(x, {})["reasons"][0]["text"],
            "attempt 2 did not succeed; the next is not before "
            "2023-11-14T22:13:20.000Z");
}

TEST(why, a_user_at_its_cap_is_told_so_with_numbers) {
  auto x = a_waiting_item();
  x.member.report.state = eligibility::at_cap;
  x.member.report.in_flight = 4;
  EXPECT_EQ(operators::why_document(x, {})["text"],
            "ann has 4 of 4 items in process");
  EXPECT_EQ(reasons_of(x), reasons{"at_cap"});
  x.member.report.in_flight = 0;
  x.member.report.limits.concurrency = 0;
  EXPECT_EQ(operators::why_document(x, {})["text"],
            "ann has a concurrency of 0");
}

TEST(why, all_reasons_are_named_the_most_general_first) {
  auto x = a_waiting_item();
  x.item.state = item_state::delayed;
  x.item.available_us = 1'000'000;
  x.member.server_suspended = true;
  x.member.suspended = true;
  x.member.report.state = eligibility::held;
  x.member.report.limits = {0, 1, true, true};
  x.member.processors_matching = 0;
  EXPECT_EQ(
    reasons_of(x),
    (reasons{"delayed", "server_suspended", "queue_suspended", "prohibited",
             "held", "no_allocation", "at_cap", "no_matching_processor"}));
}

TEST(why, a_queue_without_processors_says_so) {
  auto x = a_waiting_item();
  x.member.processors = 0;
  x.member.processors_matching = 0;
  EXPECT_EQ(reasons_of(x), reasons{"no_processor"});
}

TEST(why, processors_that_are_kept_to_nodes_are_named_with_them) {
  auto x = a_waiting_item();
  x.member.processors = 0;
  x.member.processors_matching = 0;
  control_state state;
  state.processors["query-1"] = {"query-1", {x.queue}, 1, {}};
  state.placements["query-1"] = {"query-1", {"far", "farther"}};
  const auto found = operators::why_document(x, state);
  EXPECT_EQ(found["reason"], "no_processor_on_node");
  EXPECT_EQ(found["text"], "nobody here serves the queue " + x.queue
                             + ": query-1 runs only on far, farther");
  state.processors["query-1"].types = {"another"};
  EXPECT_EQ(operators::why_document(x, state)["reason"], "no_processor");
}

TEST(why, a_claimed_item_names_its_processor_and_nothing_else) {
  auto x = a_waiting_item();
  x.item.state = item_state::claimed;
  x.item.processor = "p1";
  x.item.attempt = 2;
  x.member.server_suspended = true;
  EXPECT_EQ(reasons_of(x), reasons{"claimed"});
  EXPECT_EQ(operators::why_document(x, {})["text"],
            "being processed by p1, attempt 2");
}

TEST(why, a_parked_item_says_how_it_comes_back) {
  auto x = a_waiting_item();
  x.item.state = item_state::parked;
  EXPECT_EQ(reasons_of(x), reasons{"parked"});
}

TEST(why, an_item_between_two_states_asks_for_patience) {
  auto x = a_waiting_item();
  x.member.report.state = eligibility::nothing_ready;
  EXPECT_EQ(reasons_of(x), reasons{"moving"});
}

TEST(why, a_finished_submission_tells_its_end) {
  submission_row row;
  row.id = 7;
  row.status = submission_status::completed;
  row.finished_us = 1'000'000;
  row.failed = true;
  row.reason = "no such prefix";
  EXPECT_EQ(operators::why_finished_document(row)["text"],
            "failed at 1970-01-01T00:00:01.000Z: no such prefix");
}

} // namespace
} // namespace depositd
