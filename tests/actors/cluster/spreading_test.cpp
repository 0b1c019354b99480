// How often a shard that does not take settings is asked to.

#include "actors/cluster/router/shard_router.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>

#include <memory>

namespace depositd::testing {

namespace {

using std::chrono::milliseconds;

struct told {
  caf::error why; ///< it takes none; none: it does
  int asked = 0;
  std::uint64_t revision = 0; ///< that it has
};

/// Decides: each change is a revision.
caf::behavior first_shard(caf::event_based_actor*,
                          std::shared_ptr<std::uint64_t> revision) {
  const auto state = std::make_shared<const control_state>();
  return {
    [=](const propose&) {
      ++*revision;
      return done{};
    },
    [=](const watch_control&) { return control_changed{state, *revision}; },
  };
}

caf::behavior other_shard(caf::event_based_actor*, std::shared_ptr<told> to) {
  return {
    [=](const adopt_control& x) -> caf::result<done> {
      ++to->asked;
      if (to->why)
        return to->why;
      to->revision = x.revision;
      return done{};
    },
  };
}

class spreading : public actor_fixture {
protected:
  spreading() {
    cluster::forwarding_options to;
    to.count = 2;
    to.owner_wait = milliseconds{10'000};
    to.lost = [] {};
    router = spawn(cluster::shard_router, cluster::shard_router_options{to});
    place(0, spawn(first_shard, revision));
    place(1, spawn(other_shard, other));
  }

  void place(shard_number shard, const caf::actor& who) {
    shard_placed x;
    x.shard = shard;
    x.epoch = 1;
    x.engine = "b";
    x.core = caf::actor_cast<shard_actor>(who);
    caf::anon_send(router, x);
    settle();
  }

  void change(int count) {
    const auto asker = sys.spawn(
      [this, count, to = router](caf::event_based_actor* me) -> caf::behavior {
        for (int i = 0; i < count; ++i)
          me->request(to, caf::infinite, propose{})
            .then([this](const done&) { ++taken; },
                  [this](const caf::error& why) {
                    ++refused;
                    last = why;
                  });
        return {[](float) { /* it lives until the test ends */ }};
      });
    adopt(asker);
    settle();
  }

  std::shared_ptr<std::uint64_t> revision = std::make_shared<std::uint64_t>(1);
  std::shared_ptr<told> other = std::make_shared<told>();
  shard_router_actor router;
  int taken = 0;
  int refused = 0;
  caf::error last;
};

TEST_F(spreading, asks_a_shard_once_a_look_however_many_changes_wait) {
  other->why = caf::make_error(ec::store_failed, std::string{"it recovers"});
  change(100);
  const auto before = other->asked;
  EXPECT_LE(before, 2);
  advance(milliseconds{5'000});
  EXPECT_GT(other->asked, before);
  EXPECT_LE(other->asked, before + 30) << "of a few looks";
  EXPECT_EQ(taken, 0) << "the shard has none of them";
  other->why = {};
  other->asked = 0;
  advance(milliseconds{2'000});
  EXPECT_EQ(taken, 100);
  EXPECT_EQ(other->asked, 1);
  EXPECT_EQ(other->revision, 101u) << "the newest";
}

TEST_F(spreading, what_comes_meanwhile_is_not_answered_by_what_was_sent) {
  change(1);
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(other->revision, 2u);
  change(3);
  EXPECT_EQ(taken, 4);
  EXPECT_EQ(other->revision, 4u + 1u);
}

TEST_F(spreading, each_change_waits_for_its_own_time) {
  other->why = caf::make_error(ec::invalid_argument, std::string{"no"});
  change(2);
  for (int i = 0; i < 12; ++i)
    advance(milliseconds{500});
  change(2);
  EXPECT_EQ(refused, 0);
  for (int i = 0; i < 10; ++i)
    advance(milliseconds{500});
  EXPECT_EQ(refused, 2) << "that of those that came later is not over";
  EXPECT_EQ(last, ec::overloaded);
  EXPECT_NE(render(last).find("shard 1 of b has not got it"), std::string::npos)
    << render(last);
  other->why = {};
  advance(milliseconds{1'000});
  EXPECT_EQ(taken, 2);
}

} // namespace

} // namespace depositd::testing
