// Clients that mean no good, or do nothing at all: the service stays, and
// others do not wait.

#include "tests/adapters/doors/nsq/door_fixture.hpp"

#include <algorithm>
#include <random>

#include <sys/socket.h>

namespace depositd::testing {

namespace {

/// The system keeps little of what comes for this client.
void receive_little(door_client& x) {
  const int bytes = 16 * 1024;
  setsockopt(x.socket(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

TEST_F(nsq_door, garbage_ends_its_own_connection_only) {
  std::minstd_rand chance{11};
  for (int i = 0; i < 50; ++i) {
    auto x = client();
    std::string bytes(1 + chance() % 5'000, '\0');
    for (auto& c : bytes)
      c = static_cast<char>(chance());
    x.send(bytes + "\n");
    x.drop();
  }
  publish_to_t({"still here"});
}

TEST_F(nsq_door, an_oversized_command_is_refused_before_it_has_come) {
  auto x = client();
  x.send("PUB t\n" + std::string{"\x7f\xff\xff\xff", 4});
  EXPECT_EQ(x.error(),
            "E_BAD_MESSAGE PUB message too big 2147483647 > 1048576");
  EXPECT_TRUE(x.closed());
}

// The error reaches a client that goes on sending.
TEST_F(nsq_door, a_refusal_reaches_who_has_not_stopped_sending) {
  auto x = client();
  x.send("PUB $\n" + std::string(4'000'000, 'x'));
  EXPECT_EQ(x.error(), "E_BAD_TOPIC PUB topic name \"$\" is not valid");
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, half_of_a_command_is_no_command) {
  auto x = client();
  x.send("PUB t\n" + std::string{"\0\0\0\5ab", 6});
  x.drop();
  publish_to_t({"whole"});
  EXPECT_EQ(world->messages(), 1U);
}

TEST_F(nsq_door, half_of_a_command_is_waited_for_as_long_as_for_silence) {
  auto x = client();
  x.identify(R"("heartbeat_interval":1000)");
  x.send("PUB t\n" + std::string{"\0\0\0\5ab", 6});
  EXPECT_TRUE(x.closed(ms{10'000}));
}

TEST_F(nsq_door, a_slow_reader_s_buffer_is_bounded_and_others_do_not_wait) {
  start([](auto& x) { x.backlog_bytes_max = 256 * 1024; });
  auto slow = client();
  receive_little(slow);
  ASSERT_EQ(slow.consume("t", "c", 1'000), "OK");
  auto sender = client();
  constexpr int count = 400;
  const std::string body(64 * 1024, 'x');
  for (int i = 0; i < count; ++i) {
    sender.say("PUB t", body);
    ASSERT_EQ(sender.answer(), "OK");
  }
  // It reads nothing: most of it stays with the queue, for others.
  const std::uint32_t window = 10;
  auto quick = consumer(window);
  const auto held = [&] {
    std::uint32_t out = 0;
    for (const auto& x : door->statistics("t", "c"))
      out = std::max(out, x.in_flight_count);
    return out;
  };
  int got = 0;
  const auto take = [&](auto& from) {
    const auto next = from.message(ms{60'000});
    ASSERT_TRUE(next);
    ++got;
    from.say("FIN " + next->id);
  };
  // Nobody gives the slow one more, so all that it does not hold comes here.
  while (got + static_cast<int>(held()) < count && !HasFatalFailure())
    take(quick);
  EXPECT_GT(got, count / 2);
  // Its buffer here, and what the system keeps of both ends.
  EXPECT_LT(held(), 200U);
  EXPECT_GT(held(), window);
  while (got < count && !HasFatalFailure())
    take(slow);
  EXPECT_EQ(got, count);
}

TEST_F(nsq_door, who_reads_no_answers_is_not_read_any_more) {
  start([](auto& x) {
    x.backlog_bytes_max = 64 * 1024;
    x.limits.heartbeat = ms{1'000};
  });
  auto x = client();
  receive_little(x);
  const std::string body{"\0\0\0\1x", 5};
  std::string all;
  for (int i = 0; i < 10'000; ++i)
    all += "PUB t\n" + body;
  // Far more answers than both ends keep.
  constexpr int rounds = 100;
  for (int i = 0; i < rounds; ++i)
    x.send(all);
  publish_to_t({"others go on"});
  EXPECT_LT(world->messages(), rounds * 10'000U);
}

TEST_F(nsq_door, a_consumer_that_never_finishes_holds_its_window_only) {
  auto x = consumer(2);
  publish_to_t({"0", "1", "2", "3", "4"});
  ASSERT_TRUE(x.message() && x.message());
  auto other = consumer(10);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(other.message());
  EXPECT_TRUE(other.silent(ms{100}));
}

TEST_F(nsq_door, silent_connections_make_room_for_those_who_speak) {
  start([](auto& x) {
    x.arrivals.unfinished_max = 20;
    x.arrivals.unfinished_per_address_max = 20;
  });
  std::vector<door_client> silent;
  for (int i = 0; i < 200; ++i)
    silent.emplace_back(door->port(), false);
  publish_to_t({"a"});
  int left = 0;
  for (auto& x : silent)
    left += !x.closed(ms{20});
  EXPECT_LE(left, 21);
}

TEST_F(nsq_door, one_connection_too_many_is_told_so) {
  start([](auto& x) { x.arrivals.connections_max = 2; });
  auto one = client();
  one.identify("");
  auto two = client();
  two.identify("");
  auto three = client();
  EXPECT_EQ(three.error(), "E_INVALID too many connections");
  EXPECT_TRUE(three.closed());
}

TEST_F(nsq_door, many_idle_connections_hurt_nobody) {
  start([](auto& x) {
    x.arrivals.connections_max = 10'000;
    x.arrivals.connections_per_address_max = 10'000;
    x.io_threads = 2;
  });
  std::vector<door_client> idle;
  for (int i = 0; i < 400; ++i) {
    idle.push_back(client());
    ASSERT_EQ(idle.back().identify(""), "OK");
  }
  auto x = consumer(1);
  publish_to_t({"a"});
  EXPECT_TRUE(x.message());
}

TEST_F(nsq_door, ends_with_clients_in_the_middle_of_everything) {
  auto x = consumer(10);
  auto y = client();
  publish_to_t({"a", "b"});
  world->holds_endings = true;
  x.say("FIN " + x.message()->id);
  y.send("PUB t\n" + std::string{"\0\0\0\5ab", 6});
  door->close();
  EXPECT_TRUE(x.closed());
  EXPECT_TRUE(y.closed());
}

} // namespace

} // namespace depositd::testing
