// What one client may take: requests of its user, memory, lines of the log.

#include "messages/values/topic_names.hpp"
#include "tests/adapters/doors/nsq/door_fixture.hpp"
#include "tests/support/captured_log.hpp"

#include <sys/socket.h>

namespace depositd::testing {

namespace {

using steady = std::chrono::steady_clock;

class nsq_bounds : public nsq_door {
protected:
  /// Of the user of this machine in the topic `t`.
  void allow(std::uint32_t requests_per_second) {
    const auto queue = topic_queue("t");
    const std::string user{"127.0.0.1"};
    quota_changed x;
    x.queue = queue;
    x.user = user;
    x.has_requests_per_second = true;
    x.requests_per_second = requests_per_second;
    control->quotas[{queue, user}] = x;
  }

  void start_with_memory(std::uint64_t bytes) {
    memory = std::make_shared<memory_budget>(
      memory_budget::limits{.bytes_max = bytes, .kept_max = 0});
    start([&](auto& x) {
      x.memory = memory;
      x.answer_limit = answer_limit;
    });
  }

  static std::string publishes(int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
      out += "PUB t\n" + std::string{"\0\0\0\1x", 5};
    return out;
  }

  std::shared_ptr<memory_budget> memory;
  ms answer_limit{60'000};
};

// -- quotas

TEST_F(nsq_bounds, a_quota_holds_whoever_does_not_wait_for_answers) {
  constexpr std::uint32_t rate = 2;
  allow(rate);
  auto x = client();
  const auto begin = steady::now();
  x.send(publishes(1'000));
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(x.answer(), "OK");
  // What a second gives is there at the start.
  const auto stored = static_cast<double>(world->messages());
  const std::chrono::duration<double> passed = steady::now() - begin;
  EXPECT_LE(stored, rate + rate * passed.count());
}

TEST_F(nsq_bounds, what_is_within_the_quota_later_is_served_then) {
  allow(20);
  auto x = client();
  x.send(publishes(30));
  for (int i = 0; i < 30; ++i)
    ASSERT_EQ(x.answer(), "OK");
  EXPECT_EQ(world->messages(), 30U);
}

TEST_F(nsq_bounds, what_was_sent_before_the_end_is_served_within_the_quota) {
  allow(20);
  auto x = client();
  x.send(publishes(30));
  shutdown(x.socket(), SHUT_WR);
  EXPECT_TRUE(soon([&] { return world->messages() == 30; }));
}

TEST_F(nsq_bounds, others_do_not_wait_for_who_has_spent_its_quota) {
  allow(1);
  auto x = client();
  x.send(publishes(100));
  ASSERT_EQ(x.answer(), "OK");
  auto y = client();
  y.say("PUB other", "x");
  EXPECT_EQ(y.answer(), "OK");
}

TEST_F(nsq_bounds, who_may_send_nothing_is_told_at_once) {
  allow(0);
  auto x = client();
  x.send(publishes(1));
  EXPECT_EQ(x.error(),
            "E_PUB_FAILED PUB failed the user's quota for this topic is 0");
  EXPECT_TRUE(x.closed());
}

// -- answers that do not come

TEST_F(nsq_bounds, an_answer_that_does_not_come_in_time_is_an_error) {
  answer_limit = ms{50};
  start_with_memory(1 << 20);
  world->holds_publishes = true;
  auto x = client();
  x.say("PUB t", "x");
  EXPECT_EQ(x.error(),
            "E_PUB_FAILED PUB failed the engine did not answer in time");
  EXPECT_TRUE(x.closed());
  EXPECT_EQ(memory->used(), 3U + 640U);
  // Then it comes all the same, and there is nobody to take it.
  world->holds_publishes = false;
  auto y = client();
  y.say("PUB t", "y");
  EXPECT_TRUE(soon([&] { return memory->used() == 0; }));
}

// -- memory

TEST_F(nsq_bounds, messages_count_with_all_that_is_made_of_them) {
  const std::vector<std::string> bodies(10, "x");
  const std::uint64_t cost = 10 * (3 + 640);
  start_with_memory(cost - 1);
  auto x = client();
  x.mpub("t", bodies);
  EXPECT_EQ(x.error(), "E_MPUB_FAILED MPUB failed there is no memory for it");
  auto y = client();
  y.mpub("t", std::vector<std::string>(9, "x"));
  EXPECT_EQ(y.answer(), "OK");
  EXPECT_TRUE(soon([&] { return memory->used() == 0; }));
}

TEST_F(nsq_bounds, messages_count_until_the_engine_has_done_with_them) {
  start_with_memory(100 << 20);
  world->holds_publishes = true;
  const std::uint64_t text = 1'000'000;
  {
    auto x = client();
    x.mpub("t", {std::string(text, 'x')});
    ASSERT_TRUE(soon([&] { return !door->producers().empty(); }));
  }
  // Whoever goes at once leaves its messages behind, and comes again.
  ASSERT_TRUE(soon([&] { return door->producers().empty(); }));
  EXPECT_EQ(memory->used(), 3 * text + 640);
  world->holds_publishes = false;
  publish_to_t({"y"});
  EXPECT_TRUE(soon([&] { return memory->used() == 0; }));
}

TEST_F(nsq_bounds, what_is_being_read_counts) {
  start_with_memory(100 << 20);
  const std::size_t part = 300'000;
  {
    auto x = client();
    x.send("PUB t\n" + std::string{"\0\x0f\0\0", 4} + std::string(part, 'x'));
    EXPECT_TRUE(soon([&] { return memory->used() >= part; }));
  }
  EXPECT_TRUE(soon([&] { return memory->used() == 0; }));
}

TEST_F(nsq_bounds, what_waits_for_its_quota_counts) {
  allow(1);
  start_with_memory(100 << 20);
  world->holds_publishes = true; // so that nothing gives back meanwhile
  const std::string body(300'000, 'x');
  {
    auto x = client();
    x.send(publishes(1));
    x.say("PUB t", body);
    EXPECT_TRUE(soon([&] { return memory->used() >= body.size(); }));
  }
}

TEST_F(nsq_bounds, a_body_that_finds_no_room_is_refused_while_it_comes) {
  start_with_memory(100'000);
  auto x = client();
  x.send("PUB t\n" + std::string{"\0\x0f\0\0", 4} + std::string(300'000, 'x'));
  EXPECT_EQ(x.error(), "E_PUB_FAILED PUB failed there is no memory for it");
  EXPECT_TRUE(x.closed());
  EXPECT_TRUE(soon([&] { return memory->used() == 0; }));
}

// -- lines of the log

TEST_F(nsq_bounds, strangers_cannot_fill_the_log) {
  const captured_log lines;
  const auto begin = steady::now();
  for (int i = 0; i < 60; ++i) {
    auto x = client();
    x.identify(R"("feature_negotiation":true,"deflate":true)");
    x.send(std::string(100, '\xff')); // no deflate
    EXPECT_TRUE(x.closed());
  }
  const std::chrono::duration<double> passed = steady::now() - begin;
  door.reset(); // nobody writes any more
  const auto count = lines.count("nsq_client_ended");
  EXPECT_GT(count, 0u);
  EXPECT_LE(count, 10 + 10 * passed.count());
}

} // namespace

} // namespace depositd::testing
