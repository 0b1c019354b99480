// Any interleaving of send, poll, ack, renew, unclaim, expiry and kill neither
// loses nor resurrects a message: random histories of one client against a
// model. On a disk kills come in the middle of things; on files in memory more
// happens. `DEPOSITD_SEED` repeats the choices of a run, `DEPOSITD_PROPERTY_S`
// makes it longer.

#include "tests/adapters/doors/emodb/acceptance_model.hpp"

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>

using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

using std::chrono::seconds;

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::stoull(text) : otherwise;
}

/// One queue with its client and its model.
struct watched_queue {
  std::string base;
  std::string name;
  bool dedup;
  queue_model model;
  std::unique_ptr<emodb_client> client;
};

class history
  : public ::testing::TestWithParam<engine_process::store> {
protected:
  history()
    : seed(number_from("DEPOSITD_SEED", std::random_device{}())),
      random(seed),
      engine(GetParam()) {
    std::cout << "DEPOSITD_SEED=" << seed << std::endl;
    for (const auto& [base, name] :
         {std::pair{"/queue/1", "a"}, {"/queue/1", "b"}, {"/dedupq/1", "a"}}) {
      const bool dedup = base == std::string{"/dedupq/1"};
      queues.push_back({base, name, dedup, queue_model{dedup}, nullptr});
    }
    engine.start();
    engine.add_key("tester", key_of_all, all_rights);
    connect();
  }

  void connect() {
    for (auto& x : queues)
      x.client = std::make_unique<emodb_client>(engine.http_port(), x.base);
  }

  std::size_t any(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>{0, below - 1}(random);
  }

  std::string payload_for(const watched_queue& x) {
    // Equal ones where that matters, otherwise each its own.
    return "{\"n\":" + std::to_string(x.dedup ? any(5) : ++sent) + "}";
  }

  std::vector<message> some_of(const watched_queue& x) {
    std::vector<message> out;
    for (const auto& one : x.model.handed_out())
      if (any(3) == 0 && out.size() < 20)
        out.push_back(one);
    return out;
  }

  /// The answer, and whether there was one. May kill the engine on the way.
  bool ask(watched_queue& x, const std::string& method, const std::string& path,
           const std::string& body, http_answer& answer, call_time& when) {
    std::thread killer;
    if (kill_next) {
      const std::chrono::microseconds after{any(4000)};
      killer = std::thread{[this, after] {
        std::this_thread::sleep_for(after); // sleeps: a random moment
        ::kill(engine.pid(), SIGKILL);
      }};
    }
    when.sent = std::chrono::steady_clock::now();
    answer = x.client->call(method, x.name + path,
                            {body.empty() ? "Content-Type:"
                                          : "Content-Type: application/json"},
                            body);
    when.answered = std::chrono::steady_clock::now();
    if (killer.joinable())
      killer.join();
    EXPECT_TRUE(answer.status == 200 || (answer.status == 0 && kill_next))
      << method << ' ' << path << ": " << answer;
    return answer.status == 200;
  }

  static std::vector<message> messages_in(const http_answer& x) {
    std::vector<message> out;
    for (const auto& one : x.document())
      out.push_back({one["id"].get<std::string>(), one["payload"].dump()});
    return out;
  }

  void send(watched_queue& x) {
    std::vector<std::string> payloads(1 + any(6));
    for (auto& one : payloads)
      one = payload_for(x);
    http_answer answer;
    call_time when;
    const bool known = payloads.size() == 1
                         ? ask(x, "POST", "/send", payloads[0], answer, when)
                         : ask(x, "POST", "/sendbatch", array_of(payloads),
                               answer, when);
    for (const auto& one : payloads)
      x.model.send(one, known);
  }

  void poll(watched_queue& x) {
    const seconds ttl{std::vector<int>{1, 1, 2, 300}[any(4)]};
    const auto limit = 1 + any(15);
    http_answer answer;
    call_time when;
    if (ask(x, "GET",
            "/poll?ttl=" + std::to_string(ttl.count())
              + "&limit=" + std::to_string(limit),
            {}, answer, when))
      x.model.poll(messages_in(answer), limit, ttl, when);
    else
      x.model.poll_unanswered(ttl, when);
  }

  void ack(watched_queue& x) {
    const auto which = some_of(x);
    http_answer answer;
    call_time when;
    const bool known =
      ask(x, "POST", "/ack", ids_of(which), answer, when);
    x.model.ack(which, known);
  }

  void renew(watched_queue& x) {
    const seconds ttl{std::vector<int>{0, 1, 2, 300}[any(4)]};
    const auto which = some_of(x);
    http_answer answer;
    call_time when;
    const bool known =
      ask(x, "POST", "/renew?ttl=" + std::to_string(ttl.count()),
          ids_of(which), answer, when);
    x.model.renew(which, ttl, when, known);
  }

  void unclaim_all(watched_queue& x) {
    http_answer answer;
    call_time when;
    const bool known = ask(x, "POST", "/unclaimall", {}, answer, when);
    x.model.unclaim_all(when, known);
  }

  void purge(watched_queue& x) {
    http_answer answer;
    call_time when;
    x.model.purge(ask(x, "DELETE", "", {}, answer, when));
  }

  void look(watched_queue& x) {
    http_answer answer;
    call_time when;
    if (ask(x, "GET", "/size", {}, answer, when))
      x.model.size(answer.document().get<std::int64_t>());
    if (!kill_next && ask(x, "GET", "/claimcount", {}, answer, when))
      x.model.claims(answer.document().get<std::int64_t>(), when);
    if (!kill_next && ask(x, "GET", "/peek?limit=1000", {}, answer, when))
      x.model.peek(messages_in(answer));
  }

  void act(watched_queue& x) {
    const auto choice = any(100);
    if (choice < 30)
      send(x);
    else if (choice < 60)
      poll(x);
    else if (choice < 76)
      ack(x);
    else if (choice < 86)
      renew(x);
    else if (choice < 89)
      unclaim_all(x);
    else if (choice < 90)
      purge(x);
    else
      look(x);
  }

  void restart() {
    if (kill_next || any(2) == 0)
      engine.kill();
    else
      EXPECT_EQ(engine.stop(), 0);
    kill_next = false;
    engine.start();
    connect();
    ++restarts;
    for (auto& x : queues)
      look(x);
  }

  /// Polls and acks until nothing is left.
  void drain(watched_queue& x) {
    unclaim_all(x);
    for (;;) {
      http_answer answer;
      call_time when;
      if (!ask(x, "GET", "/poll?ttl=300&limit=1000", {}, answer, when))
        return;
      const auto found = messages_in(answer);
      x.model.poll(found, 1000, 300s, when);
      if (found.empty())
        break;
      x.model.ack(found,
                  ask(x, "POST", "/ack", ids_of(found), answer, when));
    }
    x.model.end();
    EXPECT_EQ(x.client->size(x.name), 0);
  }

  bool well() {
    for (const auto& x : queues)
      for (const auto& complaint : x.model.complaints)
        ADD_FAILURE() << x.base << '/' << x.name << " after " << steps
                      << " steps: " << complaint;
    return !HasFailure();
  }

  std::uint64_t seed;
  std::mt19937_64 random;
  engine_process engine;
  std::vector<watched_queue> queues;
  bool kill_next = false;
  std::uint64_t sent = 0;
  int steps = 0;
  int restarts = 0;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(
  on, history,
  ::testing::Values(engine_process::store::disk,
                    engine_process::store::ram_disk),
  [](const auto& x) {
    return x.param == engine_process::store::disk ? "disk" : "ram_disk";
  });

TEST_P(history, loses_and_resurrects_nothing) {
  const auto end = std::chrono::steady_clock::now()
                   + seconds{number_from("DEPOSITD_PROPERTY_S", 5)};
  // With less of either the test proves nothing.
  const auto enough = [&] { return steps > 200 && restarts > 0; };
  while ((std::chrono::steady_clock::now() < end || !enough()) && well()) {
    ++steps;
    kill_next = any(120) == 0;
    act(queues[any(queues.size())]);
    if (kill_next || any(400) == 0)
      restart();
    else if (any(60) == 0)
      outlive(std::chrono::milliseconds{any(400)}); // claims end meanwhile
  }
  for (auto& x : queues)
    drain(x);
  well();
  std::cout << steps << " steps, " << restarts << " restarts" << std::endl;
  EXPECT_TRUE(enough());
}

// -- the model bites ----------------------------------------------------------

namespace {

class model_of_a_queue : public ::testing::Test {
protected:
  static constexpr moment at(std::chrono::milliseconds x) {
    return moment{} + std::chrono::hours{1} + x;
  }

  static call_time call(std::chrono::milliseconds x) {
    return {at(x), at(x + 1ms)};
  }

  queue_model plain{false};
  queue_model dedup{true};
};

} // namespace

TEST_F(model_of_a_queue, accepts_a_good_history) {
  plain.send("1", true);
  plain.poll({{"a", "1"}}, 10, 1s, call(0ms));
  plain.poll({}, 10, 1s, call(500ms));
  plain.poll({{"a", "1"}}, 10, 1s, call(1100ms));
  plain.ack({{"a", "1"}}, true);
  plain.poll({}, 10, 1s, call(9000ms));
  plain.end();
  EXPECT_TRUE(plain.complaints.empty());
  dedup.send("1", true);
  dedup.send("1", true);
  dedup.poll({{"a", "1"}}, 10, 1s, call(0ms));
  dedup.send("1", true);
  dedup.poll({{"a", "1"}, {"b", "1"}}, 10, 1s, call(2000ms));
  EXPECT_TRUE(dedup.complaints.empty());
}

TEST_F(model_of_a_queue, sees_a_lost_message) {
  plain.send("1", true);
  plain.poll({}, 10, 1s, call(0ms));
  EXPECT_EQ(plain.complaints.size(), 1u);
  plain.end();
  EXPECT_EQ(plain.complaints.size(), 2u);
  dedup.send("1", true);
  dedup.poll({}, 10, 1s, call(0ms));
  EXPECT_EQ(dedup.complaints.size(), 1u);
}

TEST_F(model_of_a_queue, sees_a_resurrected_message) {
  plain.send("1", true);
  plain.poll({{"a", "1"}}, 10, 1s, call(0ms));
  plain.ack({{"a", "1"}}, true);
  plain.poll({{"a", "1"}}, 10, 1s, call(5000ms));
  EXPECT_FALSE(plain.complaints.empty());
}

TEST_F(model_of_a_queue, sees_a_message_in_two_hands) {
  plain.send("1", true);
  plain.poll({{"a", "1"}}, 10, 1s, call(0ms));
  plain.poll({{"a", "1"}}, 10, 1s, call(900ms));
  EXPECT_EQ(plain.complaints.size(), 1u);
}

TEST_F(model_of_a_queue, sees_a_duplicate_and_a_second_id) {
  dedup.send("1", true);
  dedup.send("1", true);
  dedup.poll({{"a", "1"}, {"b", "1"}}, 10, 1s, call(0ms));
  EXPECT_EQ(dedup.complaints.size(), 1u);
  plain.send("1", true);
  plain.poll({{"a", "1"}}, 10, 1s, call(0ms));
  plain.poll({{"b", "1"}}, 10, 1s, call(500ms));
  EXPECT_EQ(plain.complaints.size(), 1u);
}

TEST_F(model_of_a_queue, sees_an_invented_message_and_a_wrong_size) {
  plain.poll({{"a", "1"}}, 10, 1s, call(0ms));
  EXPECT_EQ(plain.complaints.size(), 1u);
  plain.size(2);
  EXPECT_EQ(plain.complaints.size(), 2u);
  plain.claims(0, call(10ms));
  EXPECT_EQ(plain.complaints.size(), 3u);
}

TEST_F(model_of_a_queue, allows_either_end_of_a_call_without_answer) {
  plain.send("1", false);
  plain.send("2", false);
  plain.poll({{"a", "1"}}, 10, 1s, call(0ms));
  plain.ack({{"a", "1"}}, false);
  plain.end();
  EXPECT_TRUE(plain.complaints.empty());
}
