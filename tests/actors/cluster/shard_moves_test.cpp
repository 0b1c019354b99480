// Moves between queues of several shards.

#include "messages/records.hpp"
#include "tests/actors/cluster/shard_moves_world.hpp"

#include <deque>
#include <set>

namespace depositd::testing {

namespace {

using std::chrono::milliseconds;

TEST_F(shard_moves, bring_everything_to_the_other_shard) {
  two_engines();
  for (shard_number shard : {0u, 1u}) {
    SCOPED_TRACE(shard);
    const auto from = name_in(shard, "from");
    const auto to = name_in(1 - shard, "to");
    put(*a, from, sent_by("ann", numbered(10)));
    put(*b, from, sent_by("bob", numbered(10, 10)));
    put(*a, to, sent_by("ann", {"there"}));
    const auto reference = move(*a, from, to);
    EXPECT_EQ(reference.size(), 32u);
    EXPECT_EQ(ended(*b, reference), move_status::complete);
    EXPECT_EQ(ended(*a, reference), move_status::complete);
    EXPECT_EQ(settings(*b)->moves.at(reference).to, to);
    EXPECT_EQ(size(*a, from), 0u);
    EXPECT_TRUE(drained(*b, from).empty());
    const auto got = poll(*b, to, 100);
    ASSERT_TRUE(got);
    auto expected = numbered(20);
    expected.push_back("there");
    EXPECT_EQ(bodies(*got), expected);
    for (const auto& x : got->items) {
      EXPECT_EQ(x.attempt, 1u);
      EXPECT_EQ(shard_of_item(x.name.id), 1 - shard);
      if (*x.body != "there") {
        EXPECT_EQ(x.user, *x.body < "m100010" ? "ann" : "bob");
      }
    }
  }
}

TEST_F(shard_moves, keep_the_order_of_a_users_items) {
  two_engines();
  const auto from = name_in(0, "from");
  const auto to = name_in(1, "to");
  const auto sent = numbered(600); // of several batches
  put(*a, from, sent_by("ann", sent));
  ASSERT_EQ(ended(*a, move(*a, from, to)), move_status::complete);
  strings got;
  for (int i = 0; i < 3; ++i) {
    const auto some = poll(*b, to, 200, 3'600'000);
    ASSERT_TRUE(some) << render(some.error());
    for (const auto& x : some->items)
      got.push_back(*x.body);
  }
  EXPECT_EQ(got, sent);
}

TEST_F(shard_moves, of_queues_in_one_shard_keep_the_ids) {
  two_engines();
  for (shard_number shard : {0u, 1u}) {
    const auto from = name_in(shard, "from");
    const auto to = name_in(shard, "to");
    const auto ids = put(*a, from, sent_by("ann", numbered(3)));
    const auto reference = move(*b, from, to);
    EXPECT_EQ(ended(*a, reference), move_status::complete);
    const auto got = poll(*a, to, 9);
    ASSERT_EQ(got->items.size(), 3u);
    EXPECT_EQ(got->items[0].name.id, ids[0]);
    EXPECT_EQ(size(*a, from), 0u);
  }
}

TEST_F(shard_moves, of_empty_and_unknown_queues_complete) {
  two_engines();
  const auto empty = name_in(0, "empty");
  finish(*a, empty, {});
  put(*a, empty, sent_by("ann", {"x"}));
  finish(*a, empty, names(*poll(*a, empty, 9)));
  EXPECT_EQ(ended(*b, move(*a, empty, name_in(1, "to"))),
            move_status::complete);
  const auto unknown = name_in(1, "unknown");
  EXPECT_EQ(ended(*a, move(*b, unknown, name_in(0, "to"))),
            move_status::complete);
  EXPECT_EQ(size(*a, name_in(0, "to")), 0u);
  EXPECT_EQ(settings(*a)->queues.count(unknown), 0u);
}

TEST_F(shard_moves, are_refused_where_they_make_no_sense) {
  two_engines();
  const auto refused = [&](const std::string& from, const std::string& to) {
    auto out = ask<move_begun>(a->router, move_queue{from, to});
    return !out && out.error() == ec::invalid_argument;
  };
  EXPECT_TRUE(refused("a", "a"));
  EXPECT_TRUE(refused("", "a"));
  EXPECT_TRUE(refused("a", ""));
  EXPECT_TRUE(refused("a", "a/b"));
  EXPECT_TRUE(refused("move/a", "a")) << "the outbox is nobody's";
  EXPECT_TRUE(refused("metadata", "a"));
  EXPECT_TRUE(refused("a", "metadata"));
  EXPECT_TRUE(refused("a", "dedupq/a"));
  EXPECT_TRUE(settings(*a)->moves.empty());
  EXPECT_EQ(settings(*a)->queues.size(), 1u) << "nothing came into being";
}

TEST_F(shard_moves, drop_claims_and_leave_what_was_acked) {
  two_engines();
  const auto from = name_in(0, "from");
  const auto to = name_in(1, "to");
  put(*a, from, sent_by("ann", numbered(10)));
  const auto acked = names(*poll(*a, from, 4, 3'600'000));
  EXPECT_EQ(finish(*b, from, acked), 4u);
  const auto held = names(*poll(*b, from, 3, 3'600'000));
  ASSERT_EQ(held.size(), 3u);
  EXPECT_EQ(ended(*a, move(*a, from, to)), move_status::complete);
  EXPECT_EQ(finish(*a, from, held), 0u);
  EXPECT_EQ(size(*a, to), 6u);
  EXPECT_EQ(drained(*a, to).size(), 6u);
}

TEST_F(shard_moves, leave_what_is_sent_after_they_began) {
  two_engines();
  const auto from = name_in(0, "from");
  const auto to = name_in(1, "to");
  put(*a, from, sent_by("ann", {"early"}));
  const auto reference = move(*a, from, to);
  put(*a, from, sent_by("ann", {"late"}));
  EXPECT_EQ(ended(*a, reference), move_status::complete);
  EXPECT_EQ(drained(*a, to), strings{"early"});
  EXPECT_EQ(drained(*a, from), strings{"late"});
}

TEST_F(shard_moves, of_ten_thousand_items_keep_each_of_them) {
  two_engines();
  const auto from = name_in(1, "from");
  const auto to = name_in(0, "to");
  put(*a, from, sent_by("ann", numbered(9'000)));
  put(*a, from, sent_by("bob", numbered(1'000, 9'000)));
  const auto reference = move(*a, from, to);
  EXPECT_EQ(ended(*a, reference), move_status::complete);
  EXPECT_EQ(size(*b, from), 0u);
  EXPECT_EQ(drained(*b, to), numbered(10'000));
  // Whatever was moved: one mark for each pair of shards.
  const auto logged = disks[0].log;
  auto watermarks =
    ask<watermarks_read>(owner_of(0).cores.at(0).shard, read_watermarks{});
  ASSERT_TRUE(watermarks);
  EXPECT_EQ(watermarks->watermarks.size(), 1u);
}

TEST_F(shard_moves, carry_bodies_that_fill_several_messages) {
  two_engines();
  const auto from = name_in(0, "from");
  const auto to = name_in(1, "to");
  const std::string large(200'000, 'x');
  std::vector<new_item> items;
  for (int i = 0; i < 60; ++i)
    items.push_back({"ann", static_cast<std::uint8_t>(i % 3),
                     std::to_string(100 + i) + large});
  put(*a, from, items);
  EXPECT_EQ(ended(*b, move(*b, from, to)), move_status::complete);
  const auto got = drained(*a, to);
  ASSERT_EQ(got.size(), 60u);
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(got[i], std::to_string(100 + i) + large);
}

TEST_F(shard_moves, in_opposite_directions_at_once_lose_nothing) {
  two_engines();
  const auto one = name_in(0, "one");
  const auto two = name_in(1, "two");
  put(*a, one, sent_by("ann", numbered(600)));
  put(*a, two, sent_by("bob", numbered(600, 600)));
  auto there = self->request(a->router, caf::infinite, move_queue{one, two});
  auto back = self->request(b->router, caf::infinite, move_queue{two, one});
  settle();
  strings references;
  const auto keep = [&](const move_begun& x) {
    references.push_back(x.reference);
  };
  const auto fail = [](const caf::error& e) { ADD_FAILURE() << render(e); };
  there.receive(keep, fail);
  back.receive(keep, fail);
  for (const auto& x : references)
    EXPECT_EQ(ended(*a, x), move_status::complete);
  auto all = drained(*a, one);
  const auto rest = drained(*b, two);
  all.insert(all.end(), rest.begin(), rest.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbered(1'200));
}

TEST_F(shard_moves, to_one_queue_from_many_bring_all) {
  two_engines();
  const auto to = name_in(1, "to");
  strings references;
  const auto bodies_of_all = numbered(900);
  for (int i = 0; i < 3; ++i) {
    const auto from = name_in(0, "from" + std::to_string(i) + "x");
    // The last sent first, so that later moves bring lower ids.
    put(*a, from, sent_by("ann", numbered(300, 300 * (2 - i))));
  }
  for (int i = 2; i >= 0; --i)
    references.push_back(
      move(*a, name_in(0, "from" + std::to_string(i) + "x"), to));
  for (const auto& x : references)
    EXPECT_EQ(ended(*b, x), move_status::complete);
  EXPECT_EQ(drained(*b, to), bodies_of_all);
}

TEST_F(shard_moves, collapse_what_is_equal_at_the_destination) {
  two_engines();
  std::string from;
  std::string to;
  for (auto i = 0; from.empty() || to.empty(); ++i) {
    const auto name = "dedupq/q" + std::to_string(i);
    (shard_of(name, 2) == 0 ? from : to) = name;
  }
  put(*a, from, sent_by("ann", {"M", "N"}));
  put(*a, from, sent_by("bob", {"M"}));
  put(*a, to, sent_by("cid", {"M", "O"}));
  EXPECT_EQ(ended(*a, move(*b, from, to)), move_status::complete);
  EXPECT_EQ(drained(*a, to), (strings{"M", "N", "O"}));
  EXPECT_TRUE(drained(*a, from).empty());
}

TEST_F(shard_moves, drop_what_a_queue_that_swallows_has_already) {
  two_engines();
  queue_settings swallows;
  swallows.dedup = dedup_mode::while_pending;
  const auto from = name_in(0, "s");
  const auto to = name_in(1, "t");
  ASSERT_TRUE(ask<done>(a->router, propose{{queue_changed{from, swallows}}}));
  ASSERT_TRUE(ask<done>(a->router, propose{{queue_changed{to, swallows}}}));
  put(*a, from, sent_by("ann", {"M", "N"}));
  put(*a, to, sent_by("ann", {"M", "N"}));
  EXPECT_EQ(ended(*a, move(*a, from, to)), move_status::complete);
  EXPECT_EQ(size(*a, from), 0u);
  EXPECT_EQ(size(*a, to), 2u);
}

TEST_F(shard_moves, are_not_refused_by_a_limit_of_the_destination) {
  two_engines();
  queue_settings small;
  small.pending_limit = 2;
  const auto from = name_in(0, "from");
  const auto to = name_in(1, "small");
  ASSERT_TRUE(ask<done>(a->router, propose{{queue_changed{to, small}}}));
  put(*a, from, sent_by("ann", numbered(10)));
  EXPECT_EQ(ended(*a, move(*a, from, to)), move_status::complete);
  EXPECT_EQ(drained(*a, to), numbered(10));
}

TEST_F(shard_moves, wait_for_a_target_without_an_owner) {
  begin(3);
  a = &join("a");
  pass(milliseconds{500});
  b = &join("b");
  pass(milliseconds{3'000});
  const auto lost = owns(*b).front();
  ASSERT_NE(lost, 0u);
  const auto source = owns(*a).back();
  const auto from = name_in(source, "from");
  const auto to = name_in(lost, "to");
  put(*a, from, sent_by("ann", numbered(300)));
  put(*a, to, sent_by("ann", {"there"}));
  crash(*b);
  auto begun = self->request(a->router, caf::infinite, move_queue{from, to});
  pass(milliseconds{2 * lease_ms});
  ASSERT_TRUE(self->has_next_message());
  std::string reference;
  begun.receive([&](const move_begun& x) { reference = x.reference; },
                [](const caf::error& e) { FAIL() << render(e); });
  EXPECT_EQ(ended(*a, reference), move_status::complete);
  auto expected = numbered(300);
  expected.push_back("there");
  EXPECT_EQ(drained(*a, to), expected);
}

TEST_F(shard_moves, are_hidden_from_operators_once_they_are_over) {
  two_engines();
  const auto from = name_in(0, "from");
  const auto to = name_in(1, "to");
  put(*a, from, sent_by("ann", numbered(3)));
  EXPECT_EQ(ended(*a, move(*a, from, to)), move_status::complete);
  const auto listed = ask<queues_listed>(b->router, list_queues{});
  ASSERT_TRUE(listed);
  for (const auto& x : listed->queues)
    EXPECT_FALSE(x.name.starts_with("move/")) << x.name;
  EXPECT_FALSE(ask<enqueued>(
    a->router, enqueue{"move/" + to, sent_by("ann", {"intruder"})}));
}

TEST_F(shard_moves, survive_restarts_of_all_engines_with_their_status) {
  two_engines();
  const auto from = name_in(0, "from");
  const auto to = name_in(1, "to");
  put(*a, from, sent_by("ann", numbered(300)));
  const auto reference = move(*a, from, to);
  EXPECT_EQ(ended(*a, reference), move_status::complete);
  crash(*a);
  crash(*b);
  auto& c = join("c");
  pass(milliseconds{3 * lease_ms});
  EXPECT_EQ(status(c, reference), move_status::complete);
  EXPECT_EQ(size(c, from), 0u);
  EXPECT_EQ(drained(c, to), numbered(300));
}

TEST_F(shard_moves, let_each_item_be_acked_once_while_they_run) {
  two_engines();
  const auto from = name_in(0, "from");
  const auto to = name_in(1, "to");
  put(*a, from, sent_by("ann", numbered(500)));
  put(*a, from, sent_by("bob", numbered(500, 500)));
  caf::scoped_actor worker{sys, true};
  // Nothing else goes on while a worker has its answer.
  const auto step = [&](auto reply, auto then) {
    while (!worker->has_next_message() && sched.try_run_once()) {
      // one message at a time
    }
    ASSERT_TRUE(worker->has_next_message());
    reply.receive(then, [](const caf::error& e) { FAIL() << render(e); });
  };
  auto begun = self->request(b->router, caf::infinite, move_queue{from, to});
  std::multiset<std::string> acked;
  std::size_t late = 0;
  struct claims {
    settle_items acks;
    strings bodies;
  };
  std::deque<claims> held;
  for (auto round = 0; round < 4'000 && acked.size() < 1'000; ++round) {
    const auto& queue = round % 2 == 0 ? from : to;
    auto& via = round % 3 == 0 ? *a : *b;
    items_received got;
    step(worker->request(via.router, caf::infinite,
                         receive_items{queue, "worker", 3, 3'600'000}),
         [&](items_received& x) { got = std::move(x); });
    claims mine{{queue, {}}, {}};
    for (const auto& x : got.items)
      if (x.name.id != 0) {
        mine.acks.items.push_back({x.name, verdict::done, 0, "", "", ""});
        mine.bodies.push_back(*x.body);
      }
    held.push_back(std::move(mine));
    if (held.size() < 6)
      continue;
    // The oldest; meanwhile they may have been moved.
    const auto mine_now = std::move(held.front());
    held.pop_front();
    step(worker->request(via.router, caf::infinite, mine_now.acks),
         [&](const items_settled& x) {
           for (std::size_t i = 0; i < x.accepted.size(); ++i)
             if (x.accepted[i] != 0)
               acked.insert(mine_now.bodies[i]);
             else
               ++late;
         });
  }
  ASSERT_TRUE(self->has_next_message());
  std::string reference;
  begun.receive([&](const move_begun& x) { reference = x.reference; },
                [](const caf::error& e) { FAIL() << render(e); });
  EXPECT_EQ(ended(*a, reference), move_status::complete);
  EXPECT_EQ(strings(acked.begin(), acked.end()), numbered(1'000));
  EXPECT_GT(late, 0u) << "the move took nothing from under the worker";
  EXPECT_EQ(size(*a, from) + size(*a, to), 0u);
}

TEST_F(shard_moves, take_nothing_from_an_owner_of_the_past) {
  two_engines();
  auto& old = owner_of(0);
  auto& other = owner_of(1);
  const auto from = name_in(0, "from");
  const auto to = name_in(1, "to");
  put(old, from, sent_by("ann", numbered(600)));
  auto begun = self->request(other.router, caf::infinite,
                             move_queue{from, to});
  // Its keeper is stopped in the middle of the move, and its core for a while.
  for (int i = 0; i < 60; ++i)
    sched.try_run_once();
  caf::anon_send_exit(old.keeper, caf::exit_reason::kill);
  caf::anon_send_exit(old.admin, caf::exit_reason::kill);
  admins.erase(old.name);
  cut_off(*database, old.name, true);
  pass(milliseconds{4 * lease_ms});
  ASSERT_EQ(owns(other), (std::vector<shard_number>{0, 1}));
  ASSERT_TRUE(self->has_next_message());
  begun.receive([](const move_begun&) {}, [](const caf::error&) {});
  for (const auto& [reference, x] : settings(other)->moves)
    EXPECT_EQ(ended(other, reference), move_status::complete);
  auto all = drained(other, to);
  const auto rest = drained(other, from);
  all.insert(all.end(), rest.begin(), rest.end());
  EXPECT_EQ(all, numbered(600));
}

} // namespace

} // namespace depositd::testing
