// What is done to very many items: in slices, with others in between.

#include "actors/journal/gather.hpp"
#include "messages/users.hpp"
#include "messages/values/tallies.hpp"
#include "tests/support/polling_fixture.hpp"
#include "tests/support/watched_engine.hpp"

#include <algorithm>

namespace depositd {

namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t slice = 10;
constexpr int many = 35;

class bulk_test : public testing::watching<testing::polling_fixture> {
protected:
  void SetUp() override {
    slice_items = slice;
    start();
  }

  /// Events of the groups since the last call; at least one group.
  std::vector<std::uint32_t> new_groups() {
    auto out = std::exchange(disk->groups, {});
    EXPECT_FALSE(out.empty());
    return out;
  }

  std::uint32_t largest_group() {
    const auto all = new_groups();
    return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  }

  user_actor actor_of_user(const std::string& user) {
    return caf::actor_cast<
             shard::shard_self::stateful_pointer<shard::shard_state>>(core)
      ->state.users.at(user)
      .actor;
  }

  static std::uint32_t bulk_actions_of(const user_actor& user) {
    return caf::actor_cast<
             users::user_self::stateful_pointer<users::user_state>>(user)
      ->state.bulk_actions;
  }

  /// Runs until so many groups were written since `new_groups`.
  void run_until_written(std::size_t groups) {
    while (disk->groups.size() < groups && sched.try_run_once()) {
      // nop
    }
  }
};

TEST_F(bulk_test, a_purge_goes_in_slices) {
  put("q", items_of("ann", many));
  put("q", items_of("bob", 2));
  poll("q", 3);
  new_groups();
  const auto purged = [] {
    double out = 0;
    for (const auto& x : tallies(tally_of::items_purged))
      if (x.first == "q")
        out += x.value;
    return out;
  };
  const auto before = purged();
  purge("q");
  EXPECT_EQ(size("q"), 0u);
  EXPECT_EQ(claims("q"), 0u);
  EXPECT_EQ(purged() - before, static_cast<double>(many + 2));
  const auto groups = new_groups();
  EXPECT_GE(groups.size(), 4u);
  EXPECT_EQ(*std::max_element(groups.begin(), groups.end()), slice + 2);
  restart();
  EXPECT_EQ(size("q"), 0u);
}

TEST_F(bulk_test, claims_that_end_together_do_so_in_slices) {
  put("q", items_of("ann", many));
  ASSERT_EQ(poll("q", many, 1'000).size(), std::size_t{many});
  new_groups();
  advance(2s);
  EXPECT_EQ(claims("q"), 0u);
  EXPECT_EQ(size("q"), std::uint64_t{many});
  EXPECT_LE(largest_group(), slice);
  const auto again = poll("q", many);
  EXPECT_EQ(again.size(), std::size_t{many});
}

TEST_F(bulk_test, delays_that_end_together_all_do) {
  put("q", items_of("ann", many));
  finish("q", names_of(poll("q", many)), verdict::retry, 1'000);
  EXPECT_TRUE(poll("q", many).empty());
  advance(2s);
  EXPECT_EQ(poll("q", many).size(), std::size_t{many});
}

TEST_F(bulk_test, all_claims_are_given_up_in_slices) {
  put("q", items_of("ann", many));
  put("q", items_of("bob", 2));
  ASSERT_EQ(poll("q", many + 2).size(), std::size_t{many + 2});
  new_groups();
  ASSERT_TRUE(ask<done>(core, release_queue{"q"}));
  EXPECT_EQ(claims("q"), 0u);
  EXPECT_LE(largest_group(), slice + 2);
  EXPECT_EQ(poll("q", many + 2).size(), std::size_t{many + 2});
}

TEST_F(bulk_test, claims_made_while_others_are_given_up_are_kept) {
  constexpr int all = 10 * slice;
  put("q", items_of("ann", all));
  ASSERT_EQ(poll("q", all).size(), std::size_t{all});
  new_groups();
  auto giving_up = self->request(core, caf::infinite, release_queue{"q"});
  run_until_written(1);
  EXPECT_FALSE(self->has_next_message()) << "there is more to give up";
  auto polling = self->request(
    core, caf::infinite, receive_items{"q", "worker", 1, 30'000, no_cap});
  settle();
  polling.receive(
    [](const items_received& x) { EXPECT_EQ(x.items.size(), 1u); },
    [](const caf::error& why) { FAIL() << render(why); });
  giving_up.receive([](const done&) {},
                    [](const caf::error& why) { FAIL() << render(why); });
  EXPECT_EQ(claims("q"), 1u);
}

TEST_F(bulk_test, nobody_leaves_whose_purge_is_not_answered) {
  put("q", items_of("ann", slice));
  new_groups();
  auto purging = self->request(core, caf::infinite, purge_queue{"q"});
  const auto ann = actor_of_user("ann");
  while (bulk_actions_of(ann) == 0 && sched.try_run_once()) {
    // nop
  }
  auto leaving = self->request(ann, caf::infinite, retire{});
  settle();
  leaving.receive([](const retired& x) { EXPECT_FALSE(x.left); },
                  [](const caf::error& why) { FAIL() << render(why); });
  purging.receive([](const done&) {},
                  [](const caf::error& why) { FAIL() << render(why); });
}

TEST_F(bulk_test, users_who_are_idle_are_let_go_some_at_a_time) {
  for (int i = 0; i < many; ++i)
    put("q", items_of("user" + std::to_string(i), 1));
  finish("q", names_of(poll("q", many)));
  const auto& users =
    caf::actor_cast<shard::shard_self::stateful_pointer<shard::shard_state>>(
      core)
      ->state.users;
  EXPECT_EQ(users.size(), std::size_t{many});
  sched.advance_time(91s);
  std::ptrdiff_t most = 0;
  do {
    most = std::max(most, std::count_if(users.begin(), users.end(),
                                        [](const auto& x) {
                                          return x.second.retiring;
                                        }));
  } while (sched.try_run_once());
  EXPECT_EQ(most, std::ptrdiff_t{slice});
  EXPECT_TRUE(users.empty());
}

TEST_F(bulk_test, a_server_is_suspended_without_a_word_to_its_users) {
  const auto steps = [&](bool suspended) {
    auto asked = self->request(core, caf::infinite,
                               propose{{server_changed{suspended, true}}});
    const auto out = sched.run();
    asked.receive([](done) {}, [](const caf::error& why) {
      FAIL() << render(why);
    });
    return out;
  };
  const auto without = steps(true);
  for (int i = 0; i < many; ++i)
    put("q", items_of("user" + std::to_string(i), 1));
  EXPECT_LE(steps(false), without + slice);
  EXPECT_EQ(poll("q", many).size(), std::size_t{many});
}

TEST_F(bulk_test, what_queues_say_is_no_answer_if_their_shard_starts_over) {
  for (std::size_t i = 0; i < 4 * journal::asked_at_once; ++i)
    put("q" + std::to_string(i), items_of("ann", 1));
  fail_appends(*log, 1);
  caf::anon_send(core, enqueue{"q1", items_of("bob", 1)});
  auto asked = self->request(core, caf::infinite, list_queues{});
  settle();
  ASSERT_TRUE(self->has_next_message());
  asked.receive(
    [](const queues_listed&) { FAIL() << "not all have been asked"; },
    [](const caf::error& why) { EXPECT_EQ(why, ec::store_failed); });
  advance(2s);
  EXPECT_EQ(size("q1"), 1u);
}

TEST_F(bulk_test, a_purge_needs_a_queue) {
  const auto refused = ask<done>(core, purge_queue{"nothing"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::not_found);
}

TEST_F(bulk_test, a_purge_tells_those_who_hold_an_item) {
  put("q", items_of("ann", 2));
  auto holder = attach_to("q");
  auto idle = attach_to("q");
  want(holder, 1);
  ASSERT_EQ(holder.got->items.size(), 1u);
  purge("q");
  EXPECT_EQ(holder.got->purged, std::vector<item_id>{holder.got->items[0].id});
  EXPECT_TRUE(holder.got->settled.empty());
  EXPECT_TRUE(idle.got->purged.empty());
}

TEST_F(bulk_test, a_purge_that_does_not_come_true_tells_nobody) {
  put("q", items_of("ann", 2));
  auto holder = attach_to("q");
  want(holder, 1);
  ASSERT_EQ(holder.got->items.size(), 1u);
  fail_appends(*log, 1);
  EXPECT_FALSE(ask<done>(core, purge_queue{"q"}));
  advance(2s);
  EXPECT_TRUE(holder.got->purged.empty());
  EXPECT_EQ(size("q"), 2u);
}

TEST_F(bulk_test, a_pick_of_a_queue_that_has_gone_meanwhile_is_answered) {
  users::user_options options;
  options.user = "ann";
  options.journal =
    caf::actor_cast<shard::shard_self::stateful_pointer<shard::shard_state>>(
      core)
      ->state.journal;
  const auto ann =
    spawn(users::user, std::move(options), users::recovered_ledgers{});
  hand_over what;
  what.queue = 7;
  what.picks.resize(2);
  what.slots = {0, 1};
  what.who.name = "worker";
  what.who.receiver = std::make_shared<receive_answer>();
  what.who.receiver->items.resize(2);
  what.who.receiver->open = 2;
  const auto receiver = what.who.receiver;
  caf::anon_send(ann, what);
  settle();
  EXPECT_EQ(receiver->open, 0u);
  // Of a processor, which has seen the queue go.
  what.who.receiver = nullptr;
  caf::anon_send(ann, what);
  settle();
  const auto report = ask<user_report>(ann, report_user{});
  EXPECT_TRUE(report) << "it lives on";
}

TEST_F(bulk_test, others_are_answered_before_a_purge_is_done) {
  put("q", items_of("ann", many));
  new_groups();
  auto purging = self->request(core, caf::infinite, purge_queue{"q"});
  run_until_written(1);
  EXPECT_FALSE(self->has_next_message());
  // The same user, another queue; and newer items of this one.
  auto other =
    self->request(core, caf::infinite, enqueue{"r", items_of("ann", 1)});
  auto newer =
    self->request(core, caf::infinite, enqueue{"q", items_of("ann", 2)});
  while (!self->has_next_message() && sched.try_run_once()) {
    // nop
  }
  EXPECT_LT(disk->groups.size(), 4u) << "the purge is not done yet";
  other.receive([](const enqueued&) {},
                [](const caf::error& why) { FAIL() << render(why); });
  settle();
  newer.receive([](const enqueued&) {},
                [](const caf::error& why) { FAIL() << render(why); });
  purging.receive([](const done&) {},
                  [](const caf::error& why) { FAIL() << render(why); });
  EXPECT_EQ(size("q"), 2u) << "came later";
  EXPECT_EQ(size("r"), 1u);
}

TEST_F(bulk_test, a_purge_that_a_crash_cuts_leaves_the_rest) {
  put("q", items_of("ann", many));
  new_groups();
  auto purging = self->request(core, caf::infinite, purge_queue{"q"});
  run_until_written(2);
  crash();
  ASSERT_TRUE(self->has_next_message());
  purging.receive([](const done&) { FAIL() << "it is not done"; },
                  [](const caf::error&) {});
  start();
  EXPECT_EQ(size("q"), many - 2 * slice);
  EXPECT_EQ(polled("q").size(), many - 2 * slice);
  purge("q");
  EXPECT_EQ(size("q"), 0u);
}

TEST_F(bulk_test, a_purge_that_a_failing_disk_cuts_is_an_error) {
  put("q", items_of("ann", many));
  new_groups();
  auto purging = self->request(core, caf::infinite, purge_queue{"q"});
  run_until_written(2);
  fail_appends(*log, 1);
  settle();
  advance(2s);
  ASSERT_TRUE(self->has_next_message());
  purging.receive(
    [](const done&) { FAIL() << "it is not done"; },
    [](const caf::error& why) { EXPECT_EQ(why, ec::store_failed); });
  EXPECT_EQ(size("q"), many - 2 * slice);
}

TEST_F(bulk_test, two_purges_at_once_are_both_answered) {
  put("q", items_of("ann", many));
  auto one = self->request(core, caf::infinite, purge_queue{"q"});
  auto two = self->request(core, caf::infinite, purge_queue{"q"});
  settle();
  int answers = 0;
  for (auto* x : {&one, &two})
    x->receive([&](const done&) { ++answers; },
               [](const caf::error& why) { FAIL() << render(why); });
  EXPECT_EQ(answers, 2);
  EXPECT_EQ(size("q"), 0u);
}

TEST_F(bulk_test, items_are_parked_and_taken_back_in_slices) {
  put("q", items_of("ann", many));
  put("r", items_of("bob", many));
  new_groups();
  park_matching what;
  what.to_us = time_us * 2;
  what.count_only = true;
  EXPECT_EQ(ask<matching_parked>(core, what)->count, 2u * many);
  EXPECT_TRUE(disk->groups.empty());
  what.count_only = false;
  EXPECT_EQ(ask<matching_parked>(core, what)->count, 2u * many);
  EXPECT_LE(largest_group(), slice);
  EXPECT_TRUE(poll("q").empty());
  EXPECT_TRUE(poll("r").empty());
  what.parked = false;
  EXPECT_EQ(ask<matching_parked>(core, what)->count, 2u * many);
  EXPECT_LE(largest_group(), slice);
  EXPECT_EQ(poll("q").size(), many);
  EXPECT_EQ(poll("r").size(), many);
}

TEST_F(bulk_test, what_comes_while_others_are_parked_is_not) {
  put("q", items_of("ann", many));
  park_matching what;
  what.to_us = time_us * 2;
  auto all = self->request(core, caf::infinite, what);
  put("q", items_of("bob", 1));
  all.receive([](const matching_parked& x) { EXPECT_EQ(x.count, 0u + many); },
              [](const caf::error& why) { FAIL() << render(why); });
  EXPECT_EQ(polled("q"), strings{"bob-1"});
}

TEST_F(bulk_test, equal_payloads_collapse_in_slices) {
  const std::string q{"dedupq/d"};
  put(q, sent_by("ann", strings(many, "M")));
  put(q, sent_by("bob", strings(many, "M")));
  new_groups();
  EXPECT_EQ(polled(q), strings{"M"});
  EXPECT_LE(largest_group(), 2 * slice + 1) << "of each user, and the claim";
  EXPECT_EQ(size(q), 1u);
  restart();
  EXPECT_EQ(size(q), 1u);
}

} // namespace

} // namespace depositd
