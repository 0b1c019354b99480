// Where requests go, row by row of the table.

#include "actors/rules/routing/receiving.hpp"
#include "actors/rules/routing/table.hpp"
#include "messages/actors.hpp"
#include "messages/operators.hpp"
#include "messages/projection.hpp"
#include "messages/receiving.hpp"
#include "messages/records.hpp"
#include "messages/shard.hpp"
#include "messages/sources.hpp"
#include "messages/topics.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace depositd::rules::routing {

namespace {

using shards = std::vector<shard_number>;

constexpr shard_number count = 4;

class routed : public ::testing::Test {
protected:
  routed() {
    control.queues["deposits"].kind = queue_kind::deposit;
    control.queues["messages"].kind = queue_kind::message;
  }

  /// A name that the shard keeps.
  static std::string name_in(shard_number shard, const std::string& stem) {
    for (auto i = 0;; ++i)
      if (auto out = stem + std::to_string(i); shard_of(out, count) == shard)
        return out;
  }

  /// The one shard, or those that get parts.
  template <class Request>
  shards asked(Request x) {
    const auto to = row<Request>.to(x, map);
    if constexpr (std::is_same_v<decltype(to), const shard_number>) {
      return {to};
    } else {
      if (to.whole) {
        EXPECT_TRUE(to.parts.empty());
        return {*to.whole};
      }
      shards out;
      for (const auto& one : to.parts)
        out.push_back(one.shard);
      return out;
    }
  }

  control_state control;
  shard_map map{count, &control};
  const shards all{0, 1, 2, 3};
};

TEST_F(routed, what_is_about_a_topic_goes_to_the_shard_of_its_name) {
  for (const auto shard : all) {
    const auto topic = name_in(shard, "t");
    EXPECT_EQ(asked(publish{topic, "u", 0, {"x"}}), shards{shard});
    EXPECT_EQ(asked(order_topic{topic, "c"}), shards{shard});
    EXPECT_EQ(asked(note_consumers{topic, "c", 1}), shards{shard});
    EXPECT_EQ(asked(list_topics{topic, ""}), shards{shard});
    EXPECT_EQ(asked(purge_queue{channel_queue(topic, "c")}), shards{shard});
    EXPECT_EQ(asked(count_queue{topic_queue(topic)}), shards{shard});
  }
  EXPECT_EQ(asked(list_topics{}), all);
}

TEST_F(routed, what_is_about_a_user_goes_to_the_users_shard) {
  for (const auto shard : all) {
    const auto user = name_in(shard, "u");
    submit deposit;
    deposit.user = user;
    EXPECT_EQ(asked(deposit), shards{shard});
    EXPECT_EQ(asked(count_pending{"deposits", user}), shards{shard});
    EXPECT_EQ(asked(explain_item{1, user}), shards{shard});
  }
}

TEST_F(routed, what_is_about_a_queue_goes_to_where_the_queue_is) {
  const auto at = shard_of("messages", count);
  const struct {
    std::string queue;
    shards to;
  } cases[] = {
    {"messages", {at}},
    {"deposits", all},
    {"unknown", {shard_of("unknown", count)}},
  };
  for (const auto& [queue, to] : cases) {
    EXPECT_EQ(asked(release_queue{queue}), to) << queue;
    EXPECT_EQ(asked(count_queue{queue}), to) << queue;
    EXPECT_EQ(asked(purge_queue{queue}), to) << queue;
    EXPECT_EQ(asked(open_ports{queue}), to) << queue;
  }
}

TEST_F(routed, what_a_user_has_in_a_queue_is_asked_where_it_is) {
  const auto user = name_in((shard_of("messages", count) + 1) % count, "u");
  EXPECT_EQ(asked(count_pending{"messages", user}),
            shards{shard_of("messages", count)});
  EXPECT_EQ(asked(count_pending{"deposits", user}),
            shards{shard_of(user, count)});
  map.control = nullptr;
  EXPECT_EQ(asked(count_pending{"messages", user}),
            shards{shard_of(user, count)});
  for (const auto shard : all) // the settings never know these
    EXPECT_EQ(asked(count_pending{channel_queue(name_in(shard, "t"), "c"),
                                  user}),
              shards{shard});
}

TEST_F(routed, all_are_asked_while_nobody_knows_where_queues_are) {
  map.control = nullptr;
  for (const auto* queue : {"deposits", "messages"}) {
    EXPECT_EQ(asked(release_queue{queue}), all) << queue;
    EXPECT_EQ(asked(count_queue{queue}), all) << queue;
    EXPECT_EQ(asked(purge_queue{queue}), all) << queue;
    EXPECT_FALSE(is_known(map, queue));
  }
}

TEST_F(routed, lists_ask_everybody) {
  EXPECT_EQ(asked(list_queues{}), all);
  EXPECT_EQ(asked(list_users{"deposits"}), all);
  EXPECT_EQ(asked(show_rings{"deposits", "", 10}), all);
  EXPECT_EQ(asked(peek_items{"messages"}), all);
}

TEST_F(routed, an_operators_choice_of_users_asks_only_their_shards) {
  const auto one = name_in(1, "u");
  const auto three = name_in(3, "u");
  const auto here = shard_of("messages", count);
  const struct {
    std::string queue;
    std::vector<std::string> users;
    shards to;
  } cases[] = {
    {"deposits", {}, all},    {"deposits", {three, one, three}, {1, 3}},
    {"messages", {}, {here}}, {"messages", {one}, {here}},
    {"", {one}, all},         {"", {}, all},
  };
  for (const auto& x : cases) {
    EXPECT_EQ(asked(park_matching{x.queue, x.users}), x.to) << x.queue;
    EXPECT_EQ(asked(cancel_matching{x.queue, x.users}), x.to) << x.queue;
  }
  EXPECT_EQ(asked(cancel_deposit{7, three}), shards{3});
}

TEST_F(routed, a_submission_is_looked_for_where_it_can_be) {
  submission_query anything;
  EXPECT_EQ(asked(anything), all);
  submission_query by_user;
  by_user.user = name_in(2, "u");
  EXPECT_EQ(asked(by_user), shards{2});
  submission_query by_number;
  by_number.id = ids_begin(3) + 7;
  EXPECT_EQ(asked(by_number), shards{3});
  by_number.id = ids_begin(count) + 7; // no shard gave this one
  EXPECT_EQ(asked(by_number), all);
}

TEST_F(routed, a_batch_is_split_by_user_and_keeps_its_places) {
  const auto zero = name_in(0, "u");
  const auto two = name_in(2, "u");
  enqueue x{"deposits", {{two, 0, "a"}, {zero, 0, "b"}, {two, 0, "c"}}};
  const auto to = row<enqueue>.to(x, map);
  ASSERT_EQ(to.parts.size(), 2u);
  EXPECT_FALSE(to.whole);
  EXPECT_EQ(to.parts[0].shard, 0u);
  EXPECT_EQ(to.parts[0].at, places{1});
  EXPECT_EQ(to.parts[0].what.queue, "deposits");
  ASSERT_EQ(to.parts[0].what.items.size(), 1u);
  EXPECT_EQ(to.parts[0].what.items[0].body, "b");
  EXPECT_EQ(to.parts[1].shard, 2u);
  EXPECT_EQ(to.parts[1].at, (places{0, 2}));
  ASSERT_EQ(to.parts[1].what.items.size(), 2u);
  EXPECT_EQ(to.parts[1].what.items[0].body, "a");
  EXPECT_EQ(to.parts[1].what.items[1].body, "c");
}

TEST_F(routed, a_batch_of_messages_goes_as_it_is) {
  enqueue x{"messages", {{name_in(1, "u"), 0, "a"}, {name_in(2, "u"), 0, "b"}}};
  const auto to = row<enqueue>.to(x, map);
  EXPECT_EQ(to.whole, shard_of("messages", count));
  EXPECT_EQ(x.items.size(), 2u);
}

TEST_F(routed, a_batch_for_several_queues_is_split_by_where_they_are) {
  const auto queue_in = [&](shard_number shard, int beside = 0) {
    for (auto i = 0;; ++i)
      if (auto out = "q" + std::to_string(i);
          shard_of_queue(out, count) == shard && beside-- == 0)
        return out;
  };
  const auto three = queue_in(3);
  const auto one = queue_in(1);
  const auto also_three = queue_in(3, 1);
  enqueue x{three, {{"u", 0, "a"}}, true};
  x.also.push_back({one, {{"u", 0, "b"}, {"u", 0, "c"}}});
  x.also.push_back({also_three, {{"u", 0, "d"}}});
  const auto to = row<enqueue>.to(x, map);
  ASSERT_EQ(to.parts.size(), 2u);
  EXPECT_EQ(to.parts[0].shard, 1u);
  EXPECT_EQ(to.parts[0].at, (places{1, 2}));
  EXPECT_EQ(to.parts[0].what.queue, one);
  EXPECT_TRUE(to.parts[0].what.whole);
  EXPECT_TRUE(to.parts[0].what.also.empty());
  EXPECT_EQ(to.parts[1].shard, 3u);
  EXPECT_EQ(to.parts[1].at, (places{0, 3}));
  EXPECT_EQ(to.parts[1].what.queue, three);
  ASSERT_EQ(to.parts[1].what.also.size(), 1u);
  EXPECT_EQ(to.parts[1].what.also[0].queue, also_three);
  EXPECT_EQ(to.parts[1].what.also[0].items[0].body, "d");
}

TEST_F(routed, an_empty_batch_asks_nobody) {
  EXPECT_EQ(asked(enqueue{"deposits", {}}), shards{});
}

TEST_F(routed, named_items_go_to_who_gave_the_names) {
  settle_items ends;
  ends.queue = "deposits";
  renew_items extends;
  extends.queue = "deposits";
  extends.taker = "worker";
  for (const shard_number shard : {2u, 0u, 2u, count + 1}) {
    const item_name name{ids_begin(shard) + 1, 0};
    ends.items.push_back({name});
    extends.items.push_back(name);
  }
  const auto to = row<settle_items>.to(ends, map);
  ASSERT_EQ(to.parts.size(), 3u);
  EXPECT_EQ(to.parts[0].at, places{1});
  EXPECT_EQ(to.parts[1].shard, 1u) << "whoever that was";
  EXPECT_EQ(to.parts[2].at, (places{0, 2}));
  const auto more = row<renew_items>.to(extends, map);
  ASSERT_EQ(more.parts.size(), 3u);
  EXPECT_EQ(more.parts[0].what.taker, "worker");
  EXPECT_EQ(more.parts[2].what.items.size(), 2u);
}

TEST_F(routed, records_go_to_their_users_and_the_mark_to_each_of_them) {
  ingest x;
  x.partition = "topic/3";
  x.last = 9;
  const auto two = name_in(2, "u");
  x.deposits.resize(2);
  x.deposits[0].user = two;
  x.deposits[1].user = name_in(0, "u");
  x.rejected.resize(2);
  x.rejected[0].user = two;
  x.works.resize(1);
  x.works[0].what.user = two;
  const auto home = shard_of(x.partition, count);
  const auto to = row<ingest>.to(x, map);
  std::map<shard_number, std::pair<std::size_t, std::size_t>> got;
  for (const auto& one : to.parts) {
    EXPECT_EQ(one.what.partition, "topic/3");
    EXPECT_EQ(one.what.last, 9);
    got[one.shard] = {one.what.deposits.size(), one.what.rejected.size()};
    EXPECT_EQ(one.what.works.size(), one.shard == 2 ? 1u : 0u);
  }
  std::map<shard_number, std::pair<std::size_t, std::size_t>> wanted;
  wanted[0].first = 1;
  wanted[2] = {1, 1};
  ++wanted[home].second;
  EXPECT_EQ(got, wanted);
}

TEST_F(routed, a_batch_without_records_still_moves_the_mark) {
  ingest x;
  x.partition = "topic/3";
  x.last = 9;
  EXPECT_EQ(asked(x), shards{shard_of("topic/3", count)});
}

TEST(table, says_what_may_be_sent_again) {
  EXPECT_EQ(row<enqueue>.may, repeats::never);
  EXPECT_EQ(row<submit>.may, repeats::never);
  EXPECT_EQ(row<settle_items>.may, repeats::never);
  EXPECT_EQ(row<park_matching>.may, repeats::never);
  EXPECT_EQ(row<cancel_deposit>.may, repeats::never);
  EXPECT_EQ(row<cancel_matching>.may, repeats::never);
  EXPECT_EQ(row<ingest>.may, repeats::harmless) << "skipped if applied";
  EXPECT_EQ(row<renew_items>.may, repeats::harmless);
}

TEST(table, says_what_makes_queues_and_what_a_drain_leaves) {
  EXPECT_EQ(row<enqueue>.also, more::makes_queue);
  EXPECT_EQ(row<open_ports>.also, more::makes_queue);
  EXPECT_EQ(row<count_queue>.also, more::nothing);
  EXPECT_EQ(row<list_queues>.also, more::while_draining);
}

// -- receiving from several ---------------------------------------------------

using receiving = receiving_round<receive_items, items_received>;

items_received taken(std::initializer_list<item_id> ids) {
  items_received out;
  for (const auto id : ids)
    out.items.emplace_back().name.id = id;
  return out;
}

std::vector<item_id> ids_of(const items_received& x) {
  std::vector<item_id> out;
  for (const auto& item : x.items)
    out.push_back(item.name.id);
  return out;
}

TEST(receiving_round, asks_one_after_the_other_for_what_is_missing) {
  receiving round{receive_items{"q", "worker", 5, 1'000}, 2, 3};
  auto one = round.next();
  ASSERT_TRUE(one);
  EXPECT_EQ(one->shard, 2u);
  EXPECT_EQ(one->what.count, 5u);
  auto first = taken({11, 0, 12}); // one pick found nothing
  round.take(first);
  one = round.next();
  ASSERT_TRUE(one);
  EXPECT_EQ(one->shard, 0u) << "round again";
  EXPECT_EQ(one->what.count, 3u);
  EXPECT_EQ(one->what.taker, "worker");
  auto second = taken({21, 22, 23});
  round.take(second);
  EXPECT_FALSE(round.next()) << "enough";
  EXPECT_EQ(ids_of(round.result()), (std::vector<item_id>{11, 12, 21, 22, 23}));
}

TEST(repeated_requests, are_not_those_whose_records_are_fed_by_hand) {
  feed_records x;
  x.records = {{"a", "ann", "{}", false}, {"b", "ann", "{}", false}};
  EXPECT_EQ(may_repeat(x), repeats::harmless);
  x.records.back().by_hand = true;
  EXPECT_EQ(may_repeat(x), repeats::never);
  EXPECT_EQ(may_repeat(feed_records{}), repeats::harmless);
  EXPECT_EQ(may_repeat(feed_by_hand{}), repeats::never);
}

TEST(receiving_round, asks_each_shard_once) {
  receiving round{receive_items{"q", "worker", 5, 1'000}, 1, 2};
  EXPECT_EQ(round.next()->shard, 1u);
  EXPECT_FALSE(round.has_failed()) << "another one is left";
  EXPECT_EQ(round.next()->shard, 0u);
  EXPECT_TRUE(round.has_failed()) << "if this one fails as well";
  auto last = taken({7});
  round.take(last);
  EXPECT_FALSE(round.has_failed());
  EXPECT_FALSE(round.next());
}

} // namespace

} // namespace depositd::rules::routing
