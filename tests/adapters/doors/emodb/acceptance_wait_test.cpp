// Polls that wait for messages (`wait`), which EmoDB does not have.

#include "tests/adapters/doors/emodb/acceptance_fixture.hpp"

#include <future>

using namespace depositd::testing;

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class waits : public emodb_doors {
protected:
  /// On a connection of its own.
  std::future<std::vector<message>> poll_later(const std::string& query) {
    return std::async(std::launch::async, [this, query] {
      emodb_client other{shared_engine().http_port(), client.base(), key_of_all,
                         60'000};
      return other.poll(q, query);
    });
  }
};

} // namespace

ON_BOTH_DOORS(waits);

TEST_P(waits, end_with_the_message_that_comes) {
  const auto begun = steady_clock::now();
  auto first = poll_later("ttl=300&wait=20");
  EXPECT_EQ(first.wait_for(300ms), std::future_status::timeout);
  client.send(q, R"({"n":1})");
  const auto got = first.get();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].payload, R"({"n":1})");
  EXPECT_LT(steady_clock::now() - begun, 15s);
  EXPECT_EQ(client.claims(q), 1);
}

TEST_P(waits, end_with_nothing_when_their_time_is_over) {
  const auto begun = steady_clock::now();
  EXPECT_TRUE(client.poll(q, "ttl=300&wait=1").empty());
  EXPECT_GE(steady_clock::now() - begun, 1s);
}

TEST_P(waits, need_not_wait_where_there_is_something) {
  client.send(q, "1");
  const auto begun = steady_clock::now();
  EXPECT_EQ(client.poll(q, "ttl=300&wait=20").size(), 1u);
  EXPECT_LT(steady_clock::now() - begun, 10s);
}

TEST_P(waits, serve_each_message_to_one_of_many) {
  std::vector<std::future<std::vector<message>>> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(poll_later("ttl=300&limit=1&wait=20"));
  client.send_all(q, numbered(8));
  std::vector<message> got;
  for (auto& x : all)
    for (auto& one : x.get())
      got.push_back(one);
  EXPECT_EQ(payloads_of(got), numbered(8));
}

TEST_P(waits, come_with_an_acknowledgement) {
  client.send(q, "1");
  const auto held = client.poll(q);
  auto next = std::async(std::launch::async, [&] {
    emodb_client other{shared_engine().http_port(), client.base(), key_of_all,
                       60'000};
    return other.messages_in(
      other.post(q + "/ackpoll?ttl=300&wait=20", ids_of(held)));
  });
  EXPECT_TRUE(wait_for([&] { return client.size(q) == 0; }))
    << "the acknowledgement does not wait";
  client.send(q, "2");
  const auto got = next.get();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].payload, "2");
}

TEST_P(waits, of_clients_that_hung_up_take_nothing) {
  {
    emodb_client hasty{shared_engine().http_port(), client.base(), key_of_all,
                       200};
    EXPECT_EQ(hasty.get(q + "/poll?ttl=300&wait=20").status, 0u);
  }
  client.send(q, "1");
  const auto got = client.poll(q, "ttl=300&wait=20");
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].payload, "1");
}

TEST_P(waits, end_when_the_key_is_removed) {
  const auto key = "text-of-the-waiting-" + q;
  shared_engine().add_key("waiting-" + q, key, {"queue|*|*"});
  auto poll = std::async(std::launch::async, [&] {
    emodb_client other{shared_engine().http_port(), client.base(), key, 60'000};
    return other.get(q + "/poll?ttl=300&wait=20");
  });
  EXPECT_EQ(poll.wait_for(300ms), std::future_status::timeout);
  const auto begun = steady_clock::now();
  shared_engine().ctl({"key", "remove", "waiting-" + q, "--yes"});
  EXPECT_TRUE(is_forbidden(poll.get()));
  EXPECT_LT(steady_clock::now() - begun, 15s);
  client.send(q, "1");
  EXPECT_EQ(client.poll(q).size(), 1u);
}

TEST_P(waits, have_bounds) {
  EXPECT_TRUE(is_illegal(client.get(q + "/poll?wait=-1"), "Wait"));
  EXPECT_TRUE(is_illegal(client.get(q + "/poll?wait=21"), "Wait"));
  EXPECT_TRUE(is_illegal(client.get(q + "/poll?ttl=0&wait=1"), "Wait"));
  EXPECT_TRUE(is_illegal(client.post(q + "/ackpoll?wait=21", "[]"), "Wait"));
  EXPECT_EQ(client.get(q + "/poll?wait=x").status, 400u);
  EXPECT_EQ(client.get(q + "/poll?wait=").status, 200u);
}
