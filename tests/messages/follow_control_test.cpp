// Hearing of the control state from whoever has it.

#include "messages/follow_control.hpp"
#include "messages/shard.hpp"
#include "messages/values/errors.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <vector>

namespace depositd::testing {

namespace {

using std::chrono::milliseconds;

/// What a follower heard, and what its source does.
struct story {
  std::vector<std::uint64_t> heard; ///< revisions
  int failures = 0;
  int asked = 0;
  bool mute = false;
  caf::error why; ///< of the source's next answers
  std::uint64_t revision = 1;
  std::vector<caf::strong_actor_ptr> watchers;
};

using story_pointer = std::shared_ptr<story>;

caf::behavior source(caf::event_based_actor* self, story_pointer x) {
  return {
    [=](const watch_control& what) -> caf::result<control_changed> {
      ++x->asked;
      if (x->mute)
        return caf::delegated<control_changed>{};
      if (x->why)
        return x->why;
      self->monitor(what.who->address());
      self->set_down_handler(
        [=](const caf::down_msg&) { x->watchers.clear(); });
      x->watchers.push_back(what.who);
      return control_changed{nullptr, x->revision};
    },
  };
}

using follower_actor = caf::typed_actor<caf::reacts_to<control_changed>,
                                        caf::reacts_to<control_unknown>>;

class following : public actor_fixture {
protected:
  following() {
    at = caf::actor_cast<control_source_actor>(spawn(source, told));
  }

  caf::actor follow() {
    caf::actor via;
    who =
      spawn([&](follower_actor::pointer self) -> follower_actor::behavior_type {
        via = follow_control(self, at,
                             {.patience = milliseconds{5'000},
                              .again_after = milliseconds{1'000}});
        return {
          [x = told](const control_changed& y) {
            x->heard.push_back(y.revision);
          },
          [x = told](const control_unknown&) { ++x->failures; },
        };
      });
    return via;
  }

  void change() {
    const control_changed news{nullptr, ++told->revision};
    for (const auto& x : told->watchers)
      caf::anon_send(caf::actor_cast<caf::actor>(x), news);
    settle();
  }

  using revisions = std::vector<std::uint64_t>;

  story_pointer told = std::make_shared<story>();
  control_source_actor at;
  follower_actor who;
};

TEST_F(following, tells_what_is_and_what_comes) {
  follow();
  change();
  change();
  EXPECT_EQ(told->heard, (revisions{1, 2, 3}));
  EXPECT_EQ(told->asked, 1);
  EXPECT_EQ(told->failures, 0);
}

TEST_F(following, asks_again_until_there_is_an_answer) {
  told->why = caf::make_error(ec::store_failed);
  follow();
  EXPECT_EQ(told->failures, 1);
  advance(milliseconds{999});
  EXPECT_EQ(told->asked, 1);
  advance(milliseconds{1});
  EXPECT_EQ(told->asked, 2);
  told->why = {};
  advance(milliseconds{1'000});
  EXPECT_EQ(told->heard, revisions{1});
  advance(milliseconds{10'000});
  EXPECT_EQ(told->asked, 3);
  EXPECT_EQ(told->failures, 2);
}

TEST_F(following, asks_again_when_nobody_answers) {
  told->mute = true;
  follow();
  advance(milliseconds{5'000});
  EXPECT_EQ(told->failures, 1);
  told->mute = false;
  advance(milliseconds{1'000});
  EXPECT_EQ(told->heard, revisions{1});
}

TEST_F(following, ends_with_whoever_follows) {
  follow();
  ASSERT_EQ(told->watchers.size(), 1u);
  caf::anon_send_exit(who, caf::exit_reason::kill);
  settle();
  EXPECT_TRUE(told->watchers.empty());
}

TEST_F(following, can_be_ended_without_harm_to_whoever_follows) {
  const auto via = follow();
  caf::anon_send_exit(via, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_TRUE(told->watchers.empty());
  caf::anon_send(who, control_changed{nullptr, 7});
  settle();
  EXPECT_EQ(told->heard, (revisions{1, 7})) << "it lives";
}

} // namespace

} // namespace depositd::testing
