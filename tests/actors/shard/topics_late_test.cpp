// Publishes that are decided later than they come, what several channels have
// of one, and topics that do not go on.

#include "actors/projection/projector.hpp"
#include "tests/actors/shard/topics_fixture.hpp"
#include "tests/support/captured_log.hpp"

#include <cstdint>

namespace depositd {

namespace {

using namespace std::chrono_literals;

using counts = std::vector<std::uint64_t>;

class topics_that_wait : public testing::topics_fixture {
protected:
  /// With a channel and a message each.
  void make_some() {
    for (const auto& name : names) {
      make(name, "a");
      ASSERT_TRUE(send(name, {"m"}));
    }
  }

  void remove_them() {
    for (const auto& name : names)
      self->send(core, order_topic{name, "", topic_action::remove});
  }

  void wait_for_some_tries() {
    for (auto second = 0; second < 4; ++second)
      advance(1s);
  }

  const std::vector<std::string> names{"t", "u", "v"};
};

/// A publish that meets the actor of its user on its way out.
class late_publish : public testing::topics_fixture {
protected:
  /// Ann's actor has nothing left and is asked to leave, but has not heard.
  void retire_ann() {
    make("t", "a");
    ASSERT_TRUE(send("t", {"first"}));
    ASSERT_EQ(drain_channel("t", "a").size(), 1u);
    const auto& state =
      caf::actor_cast<shard::shard_self::stateful_pointer<shard::shard_state>>(
        core)
        ->state;
    const auto is_retiring = [&] {
      const auto at = state.users.find("ann");
      return at != state.users.end() && at->second.retiring;
    };
    for (int i = 0; i < 10 && !is_retiring(); ++i) {
      sched.advance_time(30s);
      while (!is_retiring() && sched.try_run_once())
        ;
    }
    ASSERT_TRUE(is_retiring());
  }
};

TEST_F(late_publish, is_decided_as_a_whole_when_that_has_gone) {
  retire_ann();
  auto sent = self->request(core, caf::infinite, publish{"t", "ann", 0, {"m"}});
  auto made = self->request(core, caf::infinite,
                            order_topic{"t", "b", topic_action::create});
  auto gone = self->request(core, caf::infinite,
                            order_topic{"t", "a", topic_action::remove});
  settle();
  const auto fail = [](const caf::error& why) { FAIL() << render(why); };
  made.receive([](done) {}, fail);
  gone.receive([](done) {}, fail);
  sent.receive([](const depositd::published& x) { EXPECT_EQ(x.messages, 1u); },
               fail);
  EXPECT_EQ(drain_channel("t", "b"), std::vector<std::string>{"m"});
  EXPECT_EQ(topic_of("t").messages, 2u);
  EXPECT_EQ(topic_of("t").depth, 0u);
}

TEST_F(late_publish, is_refused_where_the_shard_starts_over) {
  retire_ann();
  auto sent = self->request(core, caf::infinite, publish{"t", "ann", 0, {"m"}});
  caf::anon_send(caf::actor_cast<shard_inside_actor>(core),
                 journal_failed{caf::make_error(ec::store_failed, "no disk")});
  settle();
  pass(2s);
  ASSERT_TRUE(self->has_next_message());
  sent.receive([](const depositd::published&) { FAIL() << "nobody has it"; },
               [](const caf::error& e) { EXPECT_EQ(e, ec::store_failed); });
  EXPECT_EQ(counts_of("t", "a"), (counts{0, 0, 0}));
}

TEST_F(late_publish, of_a_topic_that_goes_is_in_the_next) {
  make("t", "c");
  ASSERT_TRUE(send("t", numbered("m", 20)));
  auto gone = self->request(core, caf::infinite,
                            order_topic{"t", "", topic_action::remove});
  auto sent =
    self->request(core, caf::infinite, publish{"t", "ann", 0, {"a", "b"}});
  settle();
  const auto fail = [](const caf::error& why) { FAIL() << render(why); };
  gone.receive([](done) {}, fail);
  sent.receive([](const depositd::published& x) { EXPECT_EQ(x.messages, 2u); },
               fail);
  EXPECT_EQ(topic_of("t").depth, 2u);
}

class shared_bodies : public testing::topics_fixture {};

TEST_F(shared_bodies, a_body_that_channels_share_is_live_once) {
  const std::string body(300, 'x');
  const auto live = [&] {
    pass(5s); // a slice
    std::int64_t out = 0;
    const auto* of =
      caf::actor_cast<projection::projector_self::stateful_pointer<
        projection::projector_state>>(read_model);
    for (const auto& [number, bodies] : of->state.live)
      out += bodies.bytes;
    return out;
  };
  for (const auto* channel : {"a", "b", "c"})
    make("t", channel);
  ASSERT_TRUE(send("t", {body}));
  EXPECT_EQ(live(), 300);
  EXPECT_EQ(drain_channel("t", "a").size(), 1u);
  EXPECT_EQ(live(), 300);
  restart();
  EXPECT_EQ(live(), 300);
  // What has waited in the topic is copied to all after a pause.
  ASSERT_TRUE(say(topic_action::pause, "t"));
  ASSERT_TRUE(send("t", {body}));
  EXPECT_EQ(live(), 600);
  ASSERT_TRUE(say(topic_action::unpause, "t"));
  EXPECT_LE(live(), 900) << "written again at most once";
  for (const auto* channel : {"a", "b", "c"})
    drain_channel("t", channel);
  EXPECT_EQ(live(), 0);
}

TEST_F(topics_that_wait, tell_it_once_for_all_and_when_they_go_on) {
  const testing::captured_log said;
  make_some();
  auto& state =
    caf::actor_cast<shard::shard_self::stateful_pointer<shard::shard_state>>(
      core)
      ->state;
  remove_them();
  while (!state.topics["v"].ending && sched.try_run_once())
    ;
  auto& behind = state.journal.backlog->bytes;
  behind += std::uint64_t{1} << 40;
  wait_for_some_tries();
  EXPECT_EQ(said.count("topic_waits"), 1u) << said.text();
  EXPECT_EQ(said.count("topics_go_on"), 0u);
  behind -= std::uint64_t{1} << 40;
  advance(1s);
  EXPECT_EQ(said.count("topic_waits"), 1u) << said.text();
  EXPECT_EQ(said.count("topics_go_on"), 1u) << said.text();
  for (const auto& name : names)
    EXPECT_FALSE(is_there(name));
}

TEST_F(topics_that_wait, tell_it_once_while_their_shard_starts_over) {
  const testing::captured_log said;
  make_some();
  fail_appends(*log, 1);
  remove_them();
  wait_for_some_tries();
  EXPECT_EQ(said.count("shard_starting_over"), 1u) << said.text();
  EXPECT_EQ(said.count("topic_waits"), 1u) << said.text();
  EXPECT_EQ(said.count("topics_go_on"), 1u) << said.text();
}

} // namespace

} // namespace depositd
