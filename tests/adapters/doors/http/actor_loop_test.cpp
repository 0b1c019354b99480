// The server in the thread of the actors that it asks.

#include "adapters/doors/kit/gateway.hpp"
#include "tests/adapters/doors/http/server_fixture.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace depositd::testing {

namespace {

/// Answers numbers; 0 when it is told to. Has as much to do as is said.
caf::behavior answering(caf::event_based_actor* self,
                        std::shared_ptr<std::atomic<int>> work) {
  const auto owed = std::make_shared<std::vector<caf::response_promise>>();
  return {
    [=](int x) -> caf::result<int> {
      if (x > 0)
        return x + 1;
      owed->push_back(self->make_response_promise());
      return caf::delegated<int>{};
    },
    [=](bool) { // now
      for (auto& x : *owed)
        x.deliver(7);
      owed->clear();
    },
    [=](caf::unit_t) {
      if (--*work > 0)
        self->send(self, caf::unit);
    },
  };
}

class http_in_actor_loop : public server_fixture {
protected:
  http_in_actor_loop() {
    kit::run_actors_in_loop(config_);
    config_.set("scheduler.max-throughput", std::size_t{8});
    system_ = std::make_unique<caf::actor_system>(config_);
    asked_ = system_->spawn(answering, work_);
    kit::gateway::options how;
    how.news = [](kit::core_answer) {};
    gateway_ = std::make_unique<kit::gateway>(*system_, std::move(how));
  }

  ~http_in_actor_loop() override {
    server_.reset();
    gateway_.reset();
    caf::anon_send_exit(asked_, caf::exit_reason::kill);
    asked_ = nullptr;
  }

  void add_routes(http::router& routes) override {
    server_fixture::add_routes(routes);
    routes.add("GET", "/ask/{number}",
               [this](http::request&& x, http::responder to) {
                 ask(std::stoi(x.captured.at(0)), std::move(to));
               });
    routes.add("POST", "/ask", [this](http::request&& x, http::responder to) {
      ask(static_cast<int>(x.body.size()), std::move(to));
    });
  }

  void ask(int what, http::responder to) {
    gateway_->ask(asked_, what,
                  [to = std::make_shared<http::responder>(std::move(to))](
                    kit::core_answer said) {
                    const auto* number = said.as<int>();
                    to->send(http::response::text(
                      200, number ? std::to_string(*number) : "none"));
                  });
  }

  void begin(http::server_options options = {}) {
    http::router routes;
    add_routes(routes);
    options.io_threads = 1;
    options.loops = kit::loops_of(*system_);
    auto made = http::server::start(std::move(options), std::move(routes));
    ASSERT_TRUE(made) << render(made.error());
    server_ = std::move(*made);
  }

  static std::string get(const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }

  std::shared_ptr<std::atomic<int>> work_ =
    std::make_shared<std::atomic<int>>(0);
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::actor asked_;
  std::unique_ptr<kit::gateway> gateway_;
};

/// As many files as this process may have at most.
bool may_open(rlim_t files) {
  rlimit most{};
  if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_max < files)
    return false;
  most.rlim_cur = std::max(most.rlim_cur, files);
  return setrlimit(RLIMIT_NOFILE, &most) == 0;
}

} // namespace

TEST_F(http_in_actor_loop, answers_what_actors_say) {
  begin();
  auto x = connect();
  for (int i = 1; i <= 300; ++i) {
    ASSERT_TRUE(x.send(get("/ask/" + std::to_string(i))));
    const auto answer = x.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, std::to_string(i + 1));
  }
}

TEST_F(http_in_actor_loop, answers_pipelined_requests_in_order) {
  begin();
  auto x = connect();
  std::string all;
  for (int i = 1; i <= 50; ++i)
    all += get("/ask/" + std::to_string(i));
  ASSERT_TRUE(x.send(all));
  for (int i = 1; i <= 50; ++i) {
    const auto answer = x.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, std::to_string(i + 1));
  }
}

// They are suspended when the actors have not answered by the next look.
TEST_F(http_in_actor_loop, waits_for_what_is_answered_later) {
  begin();
  auto late = connect();
  ASSERT_TRUE(late.send(get("/ask/0")));
  auto other = connect();
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(other.send(get("/ask/" + std::to_string(i))));
    ASSERT_TRUE(other.receive());
  }
  caf::anon_send(asked_, true);
  const auto answer = late.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "7");
  ASSERT_TRUE(late.send(get("/ask/2")));
  ASSERT_TRUE(late.receive());
}

TEST_F(http_in_actor_loop, serves_on_when_a_client_has_left_before_its_answer) {
  begin();
  for (int i = 0; i < 20; ++i) {
    auto gone = connect();
    ASSERT_TRUE(gone.send(get("/ask/0")));
  }
  auto x = connect();
  ASSERT_TRUE(x.send(get("/ask/1")));
  ASSERT_TRUE(x.receive());
  caf::anon_send(asked_, true);
  ASSERT_TRUE(x.send(get("/ask/1")));
  EXPECT_TRUE(x.receive());
}

TEST_F(http_in_actor_loop, answers_while_actors_have_much_to_do) {
  begin();
  *work_ = 2'000'000'000; // hours
  caf::anon_send(asked_, caf::unit);
  auto x = connect();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(x.send(get("/hello")));
    ASSERT_TRUE(x.receive());
  }
  EXPECT_GT(*work_, 0) << "too little to do to show anything";
  *work_ = 0;
}

// Two thousand clients whose requests come byte by byte cost those that come
// at once nothing but a look each.
TEST_F(http_in_actor_loop, serves_others_beside_2000_slow_clients) {
  if (!may_open(5'000))
    GTEST_SKIP() << "too few files may be open";
  http::server_options options;
  options.connections_max = 5'000;
  begin(options);
  const std::string slow =
    "POST /ask HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n12345678";
  std::vector<std::unique_ptr<raw_client>> clients;
  for (int i = 0; i < 2'000; ++i) {
    clients.push_back(std::make_unique<raw_client>(server_->port()));
    ASSERT_TRUE(clients.back()->send(slow.substr(0, slow.size() - 8)));
  }
  auto quick = connect();
  for (std::size_t at = slow.size() - 8; at < slow.size(); ++at) {
    for (auto& x : clients)
      ASSERT_TRUE(x->send(slow.substr(at, 1)));
    ASSERT_TRUE(quick.send(get("/ask/1")));
    ASSERT_TRUE(quick.receive());
  }
  for (auto& x : clients) {
    const auto answer = x->receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "9");
  }
}

TEST_F(http_in_actor_loop, stops_while_requests_wait) {
  begin();
  auto x = connect();
  ASSERT_TRUE(x.send(get("/ask/0")));
  auto y = connect();
  ASSERT_TRUE(y.send(get("/ask/1")));
  ASSERT_TRUE(y.receive());
  server_->stop(std::chrono::milliseconds{50});
  const auto answer = x.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503u);
}

} // namespace depositd::testing
