// Changed settings of a queue on their way to very many users.

#include "actors/shard/shard.hpp"
#include "messages/records.hpp"
#include "messages/values/operations.hpp"
#include "tests/support/polling_fixture.hpp"

#include <algorithm>
#include <cstddef>

namespace depositd {

namespace {

constexpr std::uint32_t users_at_once = 10;
constexpr int users_in_all = 35;

class settings_told_test : public testing::polling_fixture {
protected:
  void SetUp() override {
    slice_items = users_at_once;
    start();
    for (const auto queue : {"q", "r"})
      for (int i = 0; i < users_in_all; ++i)
        put(queue, items_of("user" + std::to_string(i), 1));
  }

  static event limit_to(std::uint32_t pending,
                        const std::string& queue = "q") {
    queue_settings settings;
    settings.pending_limit = pending;
    return queue_changed{queue, settings};
  }

  const shard::shard_state& shard() const {
    return caf::actor_cast<
             shard::shard_self::stateful_pointer<shard::shard_state>>(core)
      ->state;
  }

  /// How many users' actors have the queue in such a state.
  template <class Predicate>
  std::ptrdiff_t count(const std::string& queue, Predicate is_so) {
    const auto number = shard().queue_numbers.at(queue);
    return std::count_if(
      shard().users.begin(), shard().users.end(), [&](const auto& x) {
        return is_so(
          caf::actor_cast<
            users::user_self::stateful_pointer<users::user_state>>(
            x.second.actor)
            ->state.queues.at(number));
      });
  }

  /// How many users' actors go by this limit.
  std::ptrdiff_t told(std::uint32_t pending, const std::string& queue = "q") {
    return count(queue, [=](const auto& x) {
      return x.settings.pending_limit == pending;
    });
  }

  /// Until some have been told of this limit, and others have not.
  void begin_telling(std::uint32_t pending) {
    caf::anon_send(core, propose{{limit_to(pending)}});
    while (told(pending) == 0 && sched.try_run_once()) {
      // nop
    }
    ASSERT_GT(told(pending), 0);
    ASSERT_LT(told(pending), users_in_all);
  }

  /// Deposits of two users, as records that stand behind one another.
  static ingest records(std::int64_t first) {
    ingest out;
    out.partition = "in/0";
    out.last = first + 1;
    for (const auto offset : {first, out.last}) {
      ingest_deposit x;
      x.offset = offset;
      x.queue = "metadata";
      x.user = "user" + std::to_string(offset - first);
      x.submission.source = source_kafka.name;
      out.deposits.push_back(std::move(x));
    }
    return out;
  }

  /// How many of these the queue refused.
  std::uint32_t refused(const std::vector<new_item>& items) {
    const auto said = ask<enqueued>(core, enqueue{"q", items});
    EXPECT_TRUE(said);
    return said ? said->refused : 0;
  }
};

TEST_F(settings_told_test, go_to_some_users_at_a_time) {
  caf::anon_send(core, propose{{limit_to(5), limit_to(6, "r")}});
  std::size_t most = 0;
  while (sched.try_run_once())
    most = std::max(most, sched.jobs.size());
  EXPECT_LE(most, users_at_once + 5); // the others are no users
  EXPECT_EQ(told(5), users_in_all);
  EXPECT_EQ(told(6, "r"), users_in_all);
}

TEST_F(settings_told_test, are_in_force_for_whoever_comes_meanwhile) {
  begin_telling(1);
  std::vector<new_item> items;
  for (int i = 0; i < users_in_all; ++i)
    items.push_back({"user" + std::to_string(i), 0, "one too many"});
  EXPECT_EQ(refused(items), std::uint32_t{users_in_all});
  EXPECT_EQ(refused(items_of("newcomer", 2)), 1u);
}

TEST_F(settings_told_test, give_way_to_those_that_come_meanwhile) {
  begin_telling(1);
  ASSERT_TRUE(change({limit_to(2)}));
  EXPECT_EQ(told(2), users_in_all);
  EXPECT_TRUE(shard().settings_told.queues.empty());
}

TEST_F(settings_told_test, of_limits_reach_the_ring_of_each) {
  queue_settings settings;
  settings.concurrency = 0;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  EXPECT_TRUE(poll("q", users_in_all).empty());
  settings.concurrency = 1;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  EXPECT_EQ(poll("q", users_in_all).size(), std::size_t{users_in_all});
}

TEST_F(settings_told_test, about_what_is_shared_out_come_with_picks_too) {
  const auto counts_costs = [](const auto& x) { return x.costs != nullptr; };
  const auto does_not = [](const auto& x) {
    return x.ledger.claims() > 0 && x.costs == nullptr;
  };
  caf::anon_send(core, propose{{fairness_changed{"q", fair_by::bytes}}});
  while (count("q", counts_costs) == 0 && sched.try_run_once()) {
    // nop
  }
  ASSERT_LT(count("q", counts_costs), users_in_all);
  caf::anon_send(core,
                 receive_items{"q", "worker", users_in_all, 30'000, no_cap});
  std::ptrdiff_t uncounted = 0;
  while (sched.try_run_once())
    uncounted = std::max(uncounted, count("q", does_not));
  EXPECT_EQ(uncounted, 0);
  EXPECT_EQ(claims("q"), std::uint64_t{users_in_all});
}

TEST_F(settings_told_test, do_not_part_records_whenever_they_come) {
  std::uint32_t when = 0;
  for (bool over = false; !over; ++when) {
    const auto pending = 1'000 + when;
    caf::anon_send(core, propose{{limit_to(pending)}});
    for (std::uint32_t i = 0; i < when && sched.try_run_once(); ++i) {
      // nop
    }
    over = told(pending) == users_in_all;
    const auto said = ask<ingested>(core, records(2 * when));
    ASSERT_TRUE(said) << when << ": " << render(said.error());
    EXPECT_EQ(said->accepted, 2u);
  }
  EXPECT_GT(when, std::uint32_t{users_in_all}); // it was in between as well
}

TEST_F(settings_told_test, are_forgotten_with_a_shard_that_starts_over) {
  begin_telling(3);
  restart();
  EXPECT_TRUE(shard().settings_told.queues.empty());
  ASSERT_TRUE(change({limit_to(4)}));
  EXPECT_EQ(told(4), users_in_all);
}

} // namespace

} // namespace depositd
