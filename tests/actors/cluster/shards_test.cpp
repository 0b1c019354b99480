// Engines that share shards: who takes what, what happens when one goes, and
// that every request reaches its shard through any of them.

#include "messages/projection.hpp"
#include "tests/actors/cluster/shards_of_two.hpp"

namespace depositd::testing {

namespace {

using std::chrono::milliseconds;
using numbers = std::vector<shard_number>;

TEST_F(shards, are_all_taken_by_an_engine_that_is_alone) {
  begin(3);
  auto& alone = join("a");
  pass(milliseconds{1'000});
  EXPECT_EQ(owns(alone), (numbers{0, 1, 2}));
  EXPECT_TRUE(ask<done>(alone.router, await_ready{}));
  EXPECT_TRUE(ask<done>(alone.router, check_intake{}));
}

TEST_F(shards, are_kept_longer_than_a_lease) {
  begin(2);
  auto& alone = join("a");
  pass(milliseconds{500});
  const auto before = alone.owned->get().shards;
  pass(milliseconds{5 * lease_ms});
  const auto after = alone.owned->get().shards;
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(before[0].epoch, after[0].epoch) << "the same lease all along";
}

TEST_F(shards, are_found_over_one_connection_of_any_two_engines) {
  begin(3);
  auto& late = join("b");
  pass(milliseconds{500});
  auto& first = join("a");
  auto& last = join("c");
  pass(milliseconds{5'000});
  // Both sides of a pair that connect at once would lose answers.
  EXPECT_EQ(looked_for, (std::set<std::string>{"b", "c"}));
  for (auto* x : {&first, &late, &last}) {
    EXPECT_EQ(owns(*x).size(), 1u) << x->name;
    EXPECT_TRUE(ask<done>(x->router, await_ready{})) << x->name;
  }
}

TEST_F(shards, know_the_admins_of_the_other_engines) {
  two_engines();
  const auto known = ask<admins_listed>(a->keeper, list_admins{});
  ASSERT_TRUE(known);
  ASSERT_EQ(known->others.size(), 1u);
  const auto& [name, admin] = known->others[0];
  EXPECT_EQ(name, "b");
  EXPECT_EQ(admin, b->admin);
}

TEST_F(shards, are_found_again_after_a_call_that_was_lost) {
  begin(2);
  auto& first = join("a");
  pass(milliseconds{500});
  calls_lost = 3;
  auto& second = join("b");
  pass(milliseconds{3'000});
  EXPECT_EQ(calls_lost, 0);
  const auto queue = name_in(owns(first).at(0), "q");
  EXPECT_EQ(put(second, queue, {{"u", 0, "x"}}).size(), 1u);
}

TEST_F(shards, move_to_an_engine_that_joins_late) {
  two_engines();
  const auto all = [&] {
    auto out = owns(*a);
    const auto more = owns(*b);
    out.insert(out.end(), more.begin(), more.end());
    std::sort(out.begin(), out.end());
    return out;
  };
  EXPECT_EQ(all(), (numbers{0, 1, 2, 3}));
  auto& third = join("c");
  pass(milliseconds{4'000});
  EXPECT_EQ(owns(third).size(), 1u);
  EXPECT_EQ(owns(*a).size() + owns(*b).size(), 3u);
}

TEST_F(shards, leave_an_engine_that_does_not_reach_the_logs) {
  two_engines();
  b->reaches_logs = false;
  pass(milliseconds{10'000});
  EXPECT_EQ(owns(*a), (numbers{0, 1, 2, 3}));
  EXPECT_EQ(owns(*b), numbers{});
  EXPECT_TRUE(ask<done>(b->router, await_ready{})) << "it serves by way of a";
  b->reaches_logs = true;
  pass(milliseconds{10'000});
  EXPECT_EQ(owns(*a).size(), 2u);
  EXPECT_EQ(owns(*b).size(), 2u);
}

TEST_F(shards, stay_where_they_are_when_nobody_reaches_the_logs) {
  two_engines();
  a->reaches_logs = b->reaches_logs = false;
  pass(milliseconds{10'000});
  EXPECT_EQ(owns(*a).size(), 2u);
  EXPECT_EQ(owns(*b).size(), 2u);
}

TEST_F(shards, keep_their_items_when_they_move) {
  begin(2);
  a = &join("a");
  pass(milliseconds{500});
  const auto first = name_in(0, "queue");
  const auto second = name_in(1, "queue");
  put(*a, first, {{"u", 0, "one"}});
  put(*a, second, {{"u", 0, "two"}});
  b = &join("b");
  pass(milliseconds{3'000});
  ASSERT_EQ(owns(*b).size(), 1u);
  EXPECT_EQ(bodies(*poll(*b, first, 9)), std::vector<std::string>{"one"});
  EXPECT_EQ(bodies(*poll(*a, second, 9)), std::vector<std::string>{"two"});
}

TEST_F(shards, are_reached_through_any_engine) {
  two_engines();
  for (shard_number shard = 0; shard < 4; ++shard) {
    const auto queue = name_in(shard, "work");
    auto& here = owner_of(shard);
    auto& there = other_than(here);
    const auto ids = put(there, queue, {{"u", 0, "x"}, {"u", 0, "y"}});
    ASSERT_EQ(ids.size(), 2u);
    EXPECT_EQ(shard_of_item(ids[0]), shard);
    const auto taken = poll(there, queue, 9);
    ASSERT_TRUE(taken) << render(taken.error());
    EXPECT_EQ(bodies(*taken), (std::vector<std::string>{"x", "y"}));
    EXPECT_TRUE(poll(here, queue, 9)->items.empty());
    const auto counted
      = ask<queue_counted>(there.router, count_queue{queue});
    ASSERT_TRUE(counted);
    EXPECT_EQ(counted->claims, 2u);
    settle_items ends{queue, {{taken->items[0].name}}};
    const auto ended = ask<items_settled>(there.router, ends);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->accepted, std::vector<std::uint8_t>{1});
    EXPECT_EQ(ask<queue_counted>(here.router, count_queue{queue})->items, 1u);
  }
}

TEST_F(shards, spread_deposits_by_user_and_find_them_again) {
  two_engines();
  std::vector<item_id> ids;
  for (shard_number shard = 0; shard < 4; ++shard) {
    const auto done = deposit(*b, name_in(shard, "press"), "one.xml");
    ASSERT_TRUE(done) << render(done.error());
    ids.push_back(done->ids[0]);
    EXPECT_EQ(shard_of_item(ids.back()), shard);
  }
  submission_query by_user;
  by_user.user = name_in(2, "press");
  const auto one = ask<submissions_found>(a->reader, by_user);
  ASSERT_TRUE(one) << render(one.error());
  ASSERT_EQ(one->rows.size(), 1u);
  EXPECT_EQ(one->rows[0].id, ids[2]);
  submission_query by_id;
  by_id.id = ids[3];
  EXPECT_EQ(ask<submissions_found>(b->reader, by_id)->rows.size(), 1u);
  submission_query all;
  all.count_max = 3;
  const auto newest = ask<submissions_found>(b->reader, all);
  ASSERT_EQ(newest->rows.size(), 3u);
  EXPECT_GE(newest->rows[0].received_us, newest->rows[2].received_us);
  for (const auto& row : newest->rows)
    all.after.push_back(row.id);
  EXPECT_EQ(ask<submissions_found>(b->reader, all)->rows.size(), 1u);
  const auto listed = ask<queues_listed>(a->router, list_queues{});
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->queues.size(), 1u);
  EXPECT_EQ(listed->queues[0].ready, 4u);
  EXPECT_EQ(listed->queues[0].users, 4u);
  const auto users = ask<users_listed>(a->router, list_users{"metadata"});
  ASSERT_EQ(users->queues.size(), 1u);
  EXPECT_EQ(users->queues[0].entries.size(), 4u);
  const auto rings = ask<rings_shown>(a->router, show_rings{"metadata", "", 3});
  ASSERT_TRUE(rings);
  ASSERT_EQ(rings->rings.size(), 1u);
  EXPECT_EQ(rings->rings[0].eligible_users, 4u);
  EXPECT_EQ(rings->rings[0].in_turn.size(), 3u);
  const auto seen
    = ask<items_found>(a->reader, peek_items{"metadata", 10, true, false});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->rows.size(), 4u);
}

TEST_F(shards, accept_a_batch_of_deposits_of_many_users_in_its_order) {
  two_engines();
  std::vector<new_item> items;
  for (auto i = 0; i < 20; ++i)
    items.push_back({"user" + std::to_string(i), 0, std::to_string(i)});
  const auto ids = put(*a, "metadata", items);
  ASSERT_EQ(ids.size(), 20u);
  for (auto i = 0u; i < 20; ++i)
    EXPECT_EQ(shard_of_item(ids[i]), shard_of(items[i].user, 4));
  auto taken = poll(*b, "metadata", 100);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->items.size(), 20u);
  settle_items ends{"metadata", {}};
  for (const auto& x : taken->items)
    ends.items.push_back({x.name});
  const auto ended = ask<items_settled>(b->router, ends);
  EXPECT_EQ(ended->accepted, std::vector<std::uint8_t>(20, 1));
  EXPECT_EQ(ask<queue_counted>(a->router, count_queue{"metadata"})->items,
            0u);
}

TEST_F(shards, are_not_ready_while_the_leases_cannot_be_reached) {
  two_engines();
  const auto ready = [&] { return ask<done>(a->router, check_intake{}); };
  EXPECT_TRUE(ready());
  cut_off(*database, "a", true);
  cut_off(*database, "b", true);
  pass(milliseconds{lease_ms});
  ASSERT_FALSE(ready());
  EXPECT_NE(render(ready().error()).find("leases"), std::string::npos);
  pass(milliseconds{4 * lease_ms});
  EXPECT_FALSE(ready()) << "nothing is asked of engines that have no shards";
  cut_off(*database, "a", false);
  cut_off(*database, "b", false);
  pass(milliseconds{3 * lease_ms});
  EXPECT_TRUE(ready());
}

TEST_F(shards, are_not_ready_while_one_has_no_engine_for_long) {
  two_engines();
  auto& zero = owner_of(0);
  auto& other = other_than(zero);
  const auto lost = owns(other).front();
  raise_epoch(*disks[lost].log, 1'000'000); // nobody can open it any more
  crash(other);
  const auto ready = [&] { return ask<done>(zero.router, check_intake{}); };
  pass(milliseconds{lease_ms / 2});
  EXPECT_TRUE(ready()) << "it may change hands";
  pass(milliseconds{lease_ms});
  ASSERT_FALSE(ready());
  EXPECT_NE(render(ready().error()).find("shard " + std::to_string(lost)),
            std::string::npos);
}

TEST_F(shards, go_to_the_others_when_an_engine_dies) {
  two_engines();
  std::map<shard_number, std::string> queues;
  for (shard_number shard = 0; shard < 4; ++shard) {
    queues[shard] = name_in(shard, "work");
    put(*a, queues[shard], {{"u", 0, "item" + std::to_string(shard)}});
  }
  crash(*a);
  pass(milliseconds{lease_ms / 2});
  EXPECT_EQ(owns(*b).size(), 2u) << "the leases have not ended yet";
  pass(milliseconds{lease_ms});
  EXPECT_EQ(owns(*b), (numbers{0, 1, 2, 3}));
  for (const auto& [shard, queue] : queues)
    EXPECT_EQ(bodies(*poll(*b, queue, 9)),
              std::vector<std::string>{"item" + std::to_string(shard)});
}

TEST_F(shards, go_back_to_an_engine_that_starts_again_at_once) {
  begin(3);
  auto& first = join("a");
  pass(milliseconds{500});
  put(first, name_in(1, "work"), {{"u", 0, "x"}});
  crash(first);
  auto& again = join("a");
  pass(milliseconds{500});
  EXPECT_EQ(owns(again), (numbers{0, 1, 2})) << "long before the leases end";
  EXPECT_EQ(bodies(*poll(again, name_in(1, "work"), 9)),
            std::vector<std::string>{"x"});
}

TEST_F(shards, that_cannot_be_opened_are_tried_less_and_less) {
  begin(2);
  damaged = {1};
  a = &join("a");
  pass(milliseconds{20'000});
  EXPECT_EQ(owns(*a), (numbers{0}));
  EXPECT_GE(openings[1], 4);
  EXPECT_LE(openings[1], 9);
  const auto before = openings[1];
  pass(milliseconds{180'000});
  EXPECT_GE(openings[1], before + 20) << "but always again";
  EXPECT_LE(openings[1], before + 40);
  damaged.clear();
  pass(milliseconds{10'000});
  EXPECT_EQ(owns(*a), (numbers{0, 1}));
}

TEST_F(shards, are_closed_without_threads_and_opened_with_them) {
  begin(2);
  a = &join("a");
  pass(milliseconds{500});
  const auto core = a->cores.at(0).shard;
  a->has_threads = false;
  cut_off(*database, "a", true);
  pass(milliseconds{lease_ms});
  EXPECT_EQ(owns(*a), numbers{});
  EXPECT_EQ(ask<done>(core, check_intake{}).error(),
            caf::sec::request_receiver_down);
  cut_off(*database, "a", false);
  pass(milliseconds{20'000});
  EXPECT_EQ(owns(*a), numbers{});
  a->has_threads = true;
  pass(milliseconds{60'000});
  EXPECT_EQ(owns(*a), (numbers{0, 1}));
}

TEST_F(shards, are_given_up_before_the_lease_ends) {
  two_engines();
  const auto had = owns(*a);
  const auto core = a->cores.at(had[0]).shard;
  cut_off(*database, "a", true);
  pass(milliseconds{lease_ms});
  EXPECT_TRUE(owns(*a).empty());
  EXPECT_EQ(ask<done>(core, check_intake{}).error(),
            caf::sec::request_receiver_down);
  pass(milliseconds{lease_ms});
  EXPECT_EQ(owns(*b), (numbers{0, 1, 2, 3}));
  cut_off(*database, "a", false);
  pass(milliseconds{2 * lease_ms});
  EXPECT_EQ(owns(*a).size(), 2u) << "it takes part again";
}

TEST_F(shards, keep_a_zombie_from_writing) {
  begin(1);
  auto& old = join("a");
  pass(milliseconds{500});
  const auto zombie = old.cores.at(0).shard;
  // Its keeper is stopped, its core goes on.
  caf::anon_send_exit(old.keeper, caf::exit_reason::kill);
  auto& fresh = join("b");
  pass(milliseconds{2 * lease_ms});
  ASSERT_EQ(owns(fresh), numbers{0});
  put(fresh, "work", {{"u", 0, "true"}});
  const auto late = ask<enqueued>(zombie, enqueue{"work", {{"u", 0, "late"}}});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), ec::fenced);
  EXPECT_EQ(bodies(*poll(fresh, "work", 9)), std::vector<std::string>{"true"});
}

TEST_F(shards, are_handed_over_at_once_by_an_engine_that_stops) {
  two_engines();
  for (shard_number shard = 0; shard < 4; ++shard)
    put(*a, name_in(shard, "work"), {{"u", 0, std::to_string(shard)}});
  auto waiting = self->request(a->keeper, caf::infinite, leave_shards{});
  pass(milliseconds{1'000});
  ASSERT_TRUE(self->has_next_message());
  waiting.receive([](const done&) {},
                  [](const caf::error& why) { FAIL() << render(why); });
  EXPECT_TRUE(owns(*a).empty());
  EXPECT_EQ(owns(*b), (numbers{0, 1, 2, 3}));
  for (shard_number shard = 0; shard < 4; ++shard)
    EXPECT_EQ(bodies(*poll(*b, name_in(shard, "work"), 9)),
              std::vector<std::string>{std::to_string(shard)});
}

TEST_F(shards, let_requests_wait_for_an_owner) {
  two_engines();
  const auto lost = owns(*a).back();
  const auto queue = name_in(lost, "work");
  put(*b, queue, {{"u", 0, "x"}});
  crash(*a);
  auto waiting = self->request(b->router, caf::infinite,
                               receive_items{queue, "worker", 1, 60'000});
  settle();
  EXPECT_FALSE(self->has_next_message());
  pass(milliseconds{2 * lease_ms - 200});
  ASSERT_TRUE(self->has_next_message());
  waiting.receive(
    [](const items_received& x) {
      EXPECT_EQ(bodies(x), std::vector<std::string>{"x"});
    },
    [](const caf::error& why) { FAIL() << render(why); });
}

TEST_F(shards, refuse_requests_that_have_waited_too_long) {
  two_engines();
  const auto lost = owns(*a).back();
  const auto queue = name_in(lost, "work");
  put(*b, queue, {{"u", 0, "x"}});
  // Nobody can take anything any more, and b's own leases end, too.
  cut_off(*database, "b", true);
  crash(*a);
  auto waiting = self->request(b->router, caf::infinite,
                               receive_items{queue, "worker", 1, 60'000});
  pass(milliseconds{2 * lease_ms + 600});
  ASSERT_TRUE(self->has_next_message());
  waiting.receive(
    [](const items_received&) { FAIL() << "there is no owner"; },
    [](const caf::error& why) { EXPECT_EQ(why, ec::overloaded); });
}

TEST_F(shards, make_a_new_queue_known_everywhere_first) {
  two_engines();
  const auto queue = name_in(3, "fresh");
  put(*a, queue, {{"u", 0, "x"}});
  for (shard_number shard = 0; shard < 4; ++shard)
    EXPECT_EQ(settings_in(owner_of(shard), shard)->queues.count(queue), 1u);
  const auto bad = ask<enqueued>(a->router, enqueue{"no/name", {{"u", 0, ""}}});
  EXPECT_EQ(bad.error(), ec::invalid_argument);
}

TEST_F(shards, take_a_batch_for_several_queues_to_where_these_are) {
  two_engines();
  enqueue all;
  all.whole = true;
  all.queue = name_in(3, "fresh");
  all.items = {{"u", 0, "3"}};
  for (shard_number shard = 0; shard < 3; ++shard)
    all.also.push_back({name_in(shard, "fresh"),
                        {{"u", 0, std::to_string(shard)}, {"u", 0, "more"}}});
  const auto said = ask<enqueued>(a->router, all);
  ASSERT_TRUE(said) << render(said.error());
  ASSERT_EQ(said->ids.size(), 7u);
  EXPECT_EQ(said->refused, 0u);
  for (std::size_t i = 0; i < said->ids.size(); ++i)
    EXPECT_EQ(shard_of_item(said->ids[i]), i == 0 ? 3u : (i - 1) / 2) << i;
  for (shard_number shard = 0; shard < 4; ++shard) {
    const auto there =
      ask<queue_counted>(b->router, count_queue{name_in(shard, "fresh")});
    ASSERT_TRUE(there);
    EXPECT_EQ(there->items, shard == 3 ? 1u : 2u) << shard;
  }
}

TEST_F(shards, give_processors_a_door_of_each) {
  two_engines();
  const auto all = ask<ports_opened>(b->router, open_ports{"metadata"});
  ASSERT_TRUE(all) << render(all.error());
  ASSERT_EQ(all->ports.size(), 4u);
  const auto one = ask<ports_opened>(b->router, open_ports{name_in(1, "work")});
  ASSERT_TRUE(one);
  ASSERT_EQ(one->ports.size(), 1u);
  EXPECT_EQ(one->ports[0].shard, 1u);
  EXPECT_TRUE(ask<queue_port_actor>(a->router, open_queue{name_in(2, "work")}));
  EXPECT_EQ(ask<queue_port_actor>(a->router, open_queue{"metadata"}).error(),
            ec::invalid_argument);
}

TEST_F(shards, park_and_purge_all_at_once) {
  two_engines();
  for (shard_number shard = 0; shard < 4; ++shard)
    ASSERT_TRUE(deposit(*a, name_in(shard, "press"), "x.xml"));
  park_matching all;
  all.queue = "metadata";
  all.to_us = time_us * 2;
  const auto parked = ask<matching_parked>(b->router, all);
  ASSERT_TRUE(parked) << render(parked.error());
  EXPECT_EQ(parked->count, 4u);
  all.users = {name_in(1, "press")};
  all.parked = false;
  EXPECT_EQ(ask<matching_parked>(b->router, all)->count, 1u);
  ASSERT_TRUE(ask<done>(b->router, purge_queue{"metadata"}));
  EXPECT_EQ(ask<queue_counted>(a->router, count_queue{"metadata"})->items,
            0u);
}

TEST_F(shards, cancel_all_at_once) {
  two_engines();
  for (shard_number shard = 0; shard < 4; ++shard)
    ASSERT_TRUE(deposit(*a, name_in(shard, "press"), "x.xml"));
  cancel_matching what;
  what.users = {name_in(1, "press"), name_in(2, "press")};
  what.queue = "metadata";
  what.to_us = time_us * 2;
  what.reason = "cancelled by root";
  const auto two = ask<matching_cancelled>(b->router, what);
  ASSERT_TRUE(two) << render(two.error());
  EXPECT_EQ(two->matched, 2u);
  EXPECT_EQ(two->moved, 2u);
  what.users.clear();
  EXPECT_EQ(ask<matching_cancelled>(b->router, what)->moved, 2u);
  EXPECT_EQ(ask<queue_counted>(a->router, count_queue{"metadata"})->items, 0u);
}

TEST_F(shards, refuse_everything_new_while_their_engine_drains) {
  two_engines();
  ASSERT_TRUE(ask<done>(a->router, drain{}));
  EXPECT_EQ(ask<enqueued>(a->router, enqueue{"work", {{"u", 0, ""}}}).error(),
            ec::draining);
  EXPECT_EQ(ask<done>(a->router, check_intake{}).error(), ec::draining);
}

TEST_F(shards, are_lost_to_another_engine_of_the_same_name) {
  begin(2);
  auto& first = join("a");
  pass(milliseconds{500});
  join("a");
  pass(milliseconds{lease_ms});
  EXPECT_TRUE(owns(first).empty());
  EXPECT_EQ(first.failure, ec::fenced);
}

} // namespace

} // namespace depositd::testing
