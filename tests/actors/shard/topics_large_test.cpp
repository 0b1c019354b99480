// Publishes of very many messages, or to very many channels: nobody else waits
// until all of it is stored.

#include "tests/actors/shard/topics_fixture.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

namespace {

using namespace std::chrono_literals;

using counts = std::vector<std::uint64_t>;

constexpr int many = 1'200;

class large_publish_test : public testing::topics_fixture {
protected:
  void make_channels(int count) {
    for (const auto& channel : numbered("c", count))
      make("t", channel);
  }

  auto begin(const std::string& user, std::vector<std::string> bodies) {
    return self->request(core, caf::infinite,
                         publish{"t", user, 0, std::move(bodies)});
  }

  static void fail(const caf::error& why) {
    FAIL() << render(why);
  }
};

TEST_F(large_publish_test, lets_others_in_between) {
  make_channels(10);
  auto large = begin("ann", numbered("m", many));
  caf::scoped_actor bob{sys};
  auto small = bob->request(core, caf::infinite, publish{"t", "bob", 0, {"b"}});
  while (!bob->has_next_message())
    ASSERT_TRUE(sched.try_run_once());
  EXPECT_FALSE(self->has_next_message());
  small.receive([](const depositd::published& x) { EXPECT_EQ(x.messages, 1u); },
                fail);
  settle();
  large.receive(
    [](const depositd::published& x) {
      EXPECT_EQ(x.messages, std::uint64_t{many});
    },
    fail);
  for (const auto& channel : numbered("c", 10))
    EXPECT_EQ(counts_of("t", channel), (counts{many + 1, 0, 0})) << channel;
  EXPECT_EQ(topic_of("t").messages, std::uint64_t{many} + 1);
  restart();
  EXPECT_EQ(counts_of("t", "c10"), (counts{many + 1, 0, 0}));
}

TEST_F(large_publish_test, stays_before_what_its_user_publishes_then) {
  make_channels(10);
  auto large = begin("ann", numbered("m", many));
  auto small = begin("ann", {"last"});
  settle();
  const auto stored = [](const depositd::published&) {};
  large.receive(stored, fail);
  small.receive(stored, fail);
  const auto who = consume("t", "c3", many + 1);
  auto expected = numbered("m", many);
  expected.push_back("last");
  EXPECT_EQ(who.got->bodies(), expected);
}

TEST_F(large_publish_test, is_refused_where_the_shard_starts_over) {
  make_channels(10);
  auto large = begin("ann", numbered("m", many));
  auto small = begin("ann", {"last"});
  caf::anon_send(caf::actor_cast<shard_inside_actor>(core),
                 journal_failed{caf::make_error(ec::store_failed, "no disk")});
  settle();
  pass(2s);
  const auto stored = [](const depositd::published&) { FAIL() << "stored"; };
  large.receive(stored, [](const caf::error&) {});
  small.receive(stored, [](const caf::error&) {});
  EXPECT_TRUE(send("t", {"again"}));
}

TEST_F(large_publish_test, of_a_topic_that_goes_is_in_the_next) {
  make("t", "c");
  ASSERT_TRUE(send("t", numbered("m", 20)));
  auto large = begin("ann", numbered("m", 6'000));
  auto gone = self->request(core, caf::infinite,
                            order_topic{"t", "", topic_action::remove});
  settle();
  gone.receive([](done) {}, fail);
  large.receive(
    [](const depositd::published& x) { EXPECT_EQ(x.messages, 6'000u); }, fail);
  EXPECT_EQ(topic_of("t").depth, 6'000u);
}

TEST_F(large_publish_test, of_more_copies_than_may_be_is_refused) {
  make_channels(101);
  const auto sent = send("t", std::vector<std::string>(10'000, "m"));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error(), ec::too_large);
}

} // namespace

} // namespace depositd
