// How answers of several shards become one.

#include "actors/rules/routing/table.hpp"
#include "messages/actors.hpp"
#include "messages/operators.hpp"
#include "messages/projection.hpp"
#include "messages/receiving.hpp"
#include "messages/records.hpp"
#include "messages/shard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace depositd::rules::routing {

namespace {

/// Joins by the request's row, in the order in which the answers came.
template <class Request, class Answer>
Answer joined(const Request& what, std::vector<Answer> answers,
              std::vector<places> at = {}) {
  Answer out;
  at.resize(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i)
    row<Request>.join(out, answers[i], asked<Request>{what, at[i]});
  return out;
}

TEST(answers_of_shards, stand_where_their_items_stood) {
  const auto ids = joined(
    enqueue{"q", {}}, std::vector<enqueued>{{{31, 0}, 1}, {{21, 22, 23}, 0}},
    {{1, 4}, {0, 2, 3}});
  EXPECT_EQ(ids.ids, (std::vector<item_id>{21, 31, 22, 23, 0}));
  EXPECT_EQ(ids.refused, 1u);
  const auto ends =
    joined(settle_items{"q", {}}, std::vector<items_settled>{{{1, 0}}, {{1}}},
           {{0, 2}, {1}});
  EXPECT_EQ(ends.accepted, (std::vector<std::uint8_t>{1, 1, 0}));
}

TEST(answers_of_shards, are_added_up) {
  const auto sizes =
    joined(count_queue{"q"}, std::vector<queue_counted>{{3, 1}, {4, 2}});
  EXPECT_EQ(sizes.items, 7u);
  EXPECT_EQ(sizes.claims, 3u);
  const auto parked =
    joined(park_matching{}, std::vector<matching_parked>{{3}, {4}});
  const auto cancelled =
    joined(cancel_matching{}, std::vector<matching_cancelled>{{3, 2}, {4, 4}});
  EXPECT_EQ(cancelled.matched, 7u);
  EXPECT_EQ(cancelled.moved, 6u);
  EXPECT_EQ(parked.count, 7u);
  const auto records =
    joined(ingest{}, std::vector<ingested>{{1, 2, 3, {{9, "a"}}},
                                           {10, 20, 30, {{4, "b"}}}});
  EXPECT_EQ(records.accepted, 11u);
  EXPECT_EQ(records.rejected, 22u);
  EXPECT_EQ(records.skipped, 33u);
  ASSERT_EQ(records.refused.size(), 2u);
  EXPECT_EQ(records.refused[1].reason, "b");
}

queue_report report(const std::string& name, std::uint64_t ready,
                    std::uint32_t processors) {
  queue_report out;
  out.name = name;
  out.ready = ready;
  out.processors = processors;
  return out;
}

TEST(answers_of_shards, report_each_queue_once_in_order) {
  const auto all = joined(
    list_queues{},
    std::vector<queues_listed>{
      {{report("b", 1, 2), report("move/x", 0, 0)}, false},
      {{report("a", 5, 0), report("b", 2, 3), report("move/y", 4, 0)}, true}});
  ASSERT_EQ(all.queues.size(), 3u) << "empty outboxes are nobody's business";
  EXPECT_EQ(all.queues[0].name, "a");
  EXPECT_EQ(all.queues[1].ready, 3u);
  EXPECT_EQ(all.queues[1].processors, 3u) << "the same ones, seen twice";
  EXPECT_EQ(all.queues[2].name, "move/y");
  EXPECT_TRUE(all.suspended);
}

TEST(answers_of_shards, about_very_many_queues_are_joined_in_their_order) {
  constexpr std::size_t many = 10'000;
  std::size_t looks = 0;
  std::vector<std::string> sum;
  for (int shard = 0; shard < 3; ++shard) {
    std::vector<std::string> more;
    for (std::size_t i = many; i-- > 0;)
      more.push_back(std::to_string(i * 7919 % many));
    std::size_t joined = 0;
    merge_by_name(
      sum, more,
      [&](const auto& x) -> const auto& {
        ++looks;
        return x;
      },
      [&](auto&, auto&) { ++joined; });
    EXPECT_EQ(joined, shard == 0 ? 0 : many);
  }
  EXPECT_EQ(sum.size(), many);
  EXPECT_TRUE(std::is_sorted(sum.begin(), sum.end()));
  EXPECT_LT(looks, many * 300) << "as many as it takes to sort them";
}

TEST(answers_of_shards, name_the_users_of_each_queue) {
  members_report first{"a", {}};
  first.entries.resize(1);
  first.entries[0].user = "ann";
  members_report second{"a", {}};
  second.entries.resize(1);
  second.entries[0].user = "bob";
  const auto all = joined(
    list_users{}, std::vector<users_listed>{{{first}}, {{{"b", {}}, second}}});
  ASSERT_EQ(all.queues.size(), 2u);
  ASSERT_EQ(all.queues[0].entries.size(), 2u);
  EXPECT_EQ(all.queues[0].entries[1].user, "bob");
  EXPECT_EQ(all.queues[1].queue, "b");
}

TEST(answers_of_shards, name_nobody_who_has_nothing_in_an_outbox) {
  members_report outbox{"move/x", {}};
  outbox.entries.resize(2);
  outbox.entries[0].user = "ann";
  outbox.entries[1].user = "bob";
  outbox.entries[1].report.ready = 3;
  const auto all =
    joined(list_users{}, std::vector<users_listed>{{{outbox}}, {}});
  ASSERT_EQ(all.queues.size(), 1u);
  ASSERT_EQ(all.queues[0].entries.size(), 1u);
  EXPECT_EQ(all.queues[0].entries[0].user, "bob");
}

/// A ring with these users in turn.
ring_report a_ring(const std::string& queue,
                   const std::vector<std::string>& users) {
  ring_report out;
  out.queue = queue;
  out.processors = 2;
  out.eligible_users = static_cast<std::uint32_t>(users.size());
  out.finished_per_hour = 10;
  for (const auto& user : users) {
    eligibility_report report;
    report.turn = static_cast<std::uint32_t>(out.in_turn.size() + 1);
    report.length = out.eligible_users;
    out.in_turn.push_back({user, report});
  }
  return out;
}

TEST(answers_of_shards, make_one_ring_of_several) {
  const auto all =
    joined(show_rings{"q", "", 4},
           std::vector<rings_shown>{
             {{a_ring("q", {"ann", "bob"})}},
             {{a_ring("q", {"c1", "c2", "c3", "c4"}), a_ring("r", {"eve"})}}});
  ASSERT_EQ(all.rings.size(), 2u);
  const auto& ring = all.rings[0];
  EXPECT_EQ(ring.eligible_users, 6u);
  EXPECT_EQ(ring.processors, 2u) << "the same ones, seen twice";
  EXPECT_EQ(ring.finished_per_hour, 20u);
  std::vector<std::string> order;
  for (const auto& x : ring.in_turn)
    order.push_back(x.user);
  EXPECT_EQ(order, (std::vector<std::string>{"c1", "ann", "c2", "c3"}))
    << "no more than were asked for";
  EXPECT_EQ(all.rings[1].queue, "r");
}

submission_row submission(item_id id, micros received_us) {
  submission_row out;
  out.id = id;
  out.received_us = received_us;
  return out;
}

TEST(answers_of_shards, put_submissions_into_the_order_of_time) {
  const std::vector<submissions_found> newest{
    {{submission(2, 30), submission(1, 10)}},
    {{submission(102, 30), submission(101, 20)}}};
  const std::vector<submissions_found> oldest{
    {{submission(1, 10), submission(2, 30)}},
    {{submission(101, 20), submission(102, 30)}}};
  submission_query what;
  what.count_max = 3;
  const auto ids = [](const submissions_found& x) {
    std::vector<item_id> out;
    for (const auto& one : x.rows)
      out.push_back(one.id);
    return out;
  };
  EXPECT_EQ(ids(joined(what, newest)), (std::vector<item_id>{102, 2, 101}));
  what.newest_first = false;
  EXPECT_EQ(ids(joined(what, oldest)), (std::vector<item_id>{1, 101, 2}));
}

TEST(answers_of_shards, keep_bodies_with_their_items) {
  const auto item = [](item_id id, std::uint8_t priority, micros at) {
    item_row out;
    out.id = id;
    out.priority = priority;
    out.received_us = at;
    return out;
  };
  peek_items what{"q", 3};
  const auto out =
    joined(what, std::vector<items_found>{
                   {{item(1, 1, 10), item(2, 0, 40)}, {"one", "two"}},
                   {{item(101, 0, 30), item(102, 1, 20)}, {"three", "four"}}});
  EXPECT_EQ(out.bodies, (std::vector<std::string>{"three", "two", "one"}));
  ASSERT_EQ(out.rows.size(), 3u);
  EXPECT_EQ(out.rows[0].id, 101u);
}

} // namespace

} // namespace depositd::rules::routing
