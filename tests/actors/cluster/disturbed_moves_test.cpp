// Moves between shards, and what becomes of them when engines die, hand shards
// over, or cannot append.

#include "tests/actors/cluster/shard_moves_world.hpp"

#include <functional>

namespace depositd::testing {

namespace {

using std::chrono::milliseconds;

/// Something happens after ever more messages of two moves, there and back.
class disturbed_moves : public shard_moves {
protected:
  static constexpr std::size_t sent_to_each = 405;
  static constexpr std::size_t kept_in_each = 400;

  struct one_move {
    std::string from;
    std::string to;
    bool acknowledged = false;
    std::string reference;
  };

  /// What happens to the owners of shards 0 and 1; returns an engine that has
  /// both of them, or all that there are, some time afterwards.
  using disturbance = std::function<engine*(engine&, engine&)>;

  /// Items of two users, some of them claimed, five acked.
  one_move prepare(shard_number shard, const std::string& suffix) {
    one_move out;
    out.from = name_in(shard, "from" + suffix + "x");
    out.to = name_in(within ? shard : 1 - shard, "to" + suffix + "x");
    put(*a, out.from, sent_by("ann", numbered(300)));
    put(*a, out.from, sent_by("bob", numbered(sent_to_each - 300, 300)));
    const auto held = names(*poll(*a, out.from, 10, 3'600'000));
    finish(*a, out.from, {held.begin(), held.begin() + 5});
    return out;
  }

  /// False if the moves were over before.
  bool disturb(std::size_t messages, const disturbance& how) {
    const auto suffix = std::to_string(engines.size());
    a = &join("a" + suffix);
    pass(milliseconds{500});
    b = &join("b" + suffix);
    pass(milliseconds{3'000});
    EXPECT_EQ(owns(*a).size(), 1u);
    EXPECT_EQ(owns(*b).size(), 1u);
    one_move moves[] = {prepare(0, suffix), prepare(1, suffix)};
    auto& zero = owner_of(0);
    auto& one = owner_of(1);
    // Whom nobody answers any more keeps nothing for the next round.
    caf::scoped_actor first{sys, true};
    caf::scoped_actor second{sys, true};
    auto there = first->request(one.router, caf::infinite,
                                move_queue{moves[0].from, moves[0].to});
    auto back = second->request(one.router, caf::infinite,
                                move_queue{moves[1].from, moves[1].to});
    for (std::size_t i = 0; i < messages && sched.try_run_once(); ++i) {
      // one message at a time
    }
    const auto over = sched.jobs.empty();
    auto* left = how(zero, one);
    take(first, there, moves[0]);
    take(second, back, moves[1]);
    for (const auto& [name, x] : settings(*left)->moves)
      EXPECT_EQ(ended(*left, name), move_status::complete) << name;
    for (const auto& x : moves)
      check(*left, x);
    for (std::size_t i = 0; i < engines.size(); ++i)
      if (!engines[i]->cores.empty())
        crash(*engines[i]);
    pass(milliseconds{2 * lease_ms});
    return !over;
  }

  /// The answer, if one has come.
  template <class Reply>
  void take(caf::scoped_actor& who, Reply& reply, one_move& to) {
    if (who->has_next_message())
      reply.receive(
        [&](const move_begun& x) {
          to.acknowledged = true;
          to.reference = x.reference;
        },
        [](const caf::error&) {});
  }

  /// Everything is on one side, each item once.
  void check(engine& via, const one_move& x) {
    const auto stayed = size(via, x.from);
    const auto came = size(via, x.to);
    EXPECT_EQ(stayed + came, kept_in_each);
    EXPECT_TRUE(stayed == 0 || came == 0) << "half a move";
    if (x.acknowledged) {
      EXPECT_EQ(came, kept_in_each);
      EXPECT_EQ(settings(via)->moves.count(x.reference), 1u);
    }
    if (stayed > 0) {
      EXPECT_TRUE(ask<done>(via.router, release_queue{x.from}));
    }
    const auto& where = stayed > 0 ? x.from : x.to;
    const auto got = drained(via, where);
    const auto all = numbered(sent_to_each);
    EXPECT_EQ(got.size(), kept_in_each);
    EXPECT_EQ(std::adjacent_find(got.begin(), got.end()), got.end()) << "twice";
    EXPECT_TRUE(std::includes(all.begin(), all.end(), got.begin(), got.end()));
    EXPECT_TRUE(ask<done>(via.router, purge_queue{where}));
  }

  void disturb_everywhere(const disturbance& how, std::size_t first) {
    constexpr std::size_t stride = 5;
    begin(2);
    auto messages = first;
    for (; disturb(messages, how) && !HasFailure(); messages += stride)
      ASSERT_LT(messages, 20'000u);
    EXPECT_GT(messages, within ? 100u : 200u) << "the test proves nothing";
    if (HasFailure())
      ADD_FAILURE() << "after " << messages << " messages";
  }

  bool within = false; ///< moves stay in their shards

  engine* after_crash(engine* left) {
    pass(milliseconds{3 * lease_ms});
    EXPECT_EQ(owns(*left), (std::vector<shard_number>{0, 1}));
    return left;
  }

  engine* after_failed_append(shard_number shard, engine& left) {
    fail_appends(*disks[shard].log, 1);
    settle();
    fail_appends(*disks[shard].log, 0);
    pass(milliseconds{5'000});
    return &left;
  }

  engine* after_hand_over(engine& from, engine& to) {
    caf::anon_send(from.keeper, leave_shards{});
    pass(milliseconds{4'000});
    EXPECT_EQ(owns(to), (std::vector<shard_number>{0, 1}));
    return &to;
  }
};

TEST_F(disturbed_moves, end_well_when_the_engine_of_shard_0_dies) {
  disturb_everywhere([this](engine& zero, engine& one) {
    crash(zero);
    return after_crash(&one);
  }, 0);
}

TEST_F(disturbed_moves, end_well_when_the_engine_of_shard_1_dies) {
  disturb_everywhere([this](engine& zero, engine& one) {
    crash(one);
    return after_crash(&zero);
  }, 1);
}

TEST_F(disturbed_moves, end_well_when_all_engines_die) {
  disturb_everywhere([this](engine& zero, engine& one) {
    crash(zero);
    crash(one);
    return after_crash(&join("c" + std::to_string(engines.size())));
  }, 2);
}

TEST_F(disturbed_moves, end_well_when_shard_0_is_handed_over) {
  disturb_everywhere([this](engine& zero, engine& one) {
    return after_hand_over(zero, one);
  }, 3);
}

TEST_F(disturbed_moves, end_well_when_shard_1_is_handed_over) {
  disturb_everywhere([this](engine& zero, engine& one) {
    return after_hand_over(one, zero);
  }, 4);
}

TEST_F(disturbed_moves, go_on_after_an_append_to_shard_0_failed) {
  disturb_everywhere([this](engine&, engine& one) {
    return after_failed_append(0, one);
  }, 0);
}

TEST_F(disturbed_moves, go_on_after_an_append_to_shard_1_failed) {
  disturb_everywhere([this](engine& zero, engine&) {
    return after_failed_append(1, zero);
  }, 1);
}

TEST_F(disturbed_moves, go_on_within_a_shard_whose_append_failed) {
  within = true;
  disturb_everywhere([this](engine& zero, engine&) {
    return after_failed_append(1, zero);
  }, 2);
}

} // namespace

} // namespace depositd::testing
