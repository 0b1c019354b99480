#pragma once

// A server whose routes answer in every way a door does: at once, later from
// another thread, never.

#include "adapters/doors/http/server.hpp"
#include "tests/adapters/doors/http/raw_client.hpp"
#include "tests/support/loops_of_test.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace depositd::testing {

/// Holds responders until a test wants them answered.
class held_answers {
public:
  void hold(http::responder x) {
    const std::lock_guard lock{guard_};
    held_.push_back(std::move(x));
    changed_.notify_all();
  }

  /// Waits for the next request to arrive.
  http::responder take() {
    std::unique_lock lock{guard_};
    if (!changed_.wait_for(lock, std::chrono::seconds{20},
                           [&] { return !held_.empty(); }))
      throw std::runtime_error("no request has arrived");
    auto out = std::move(held_.front());
    held_.pop_front();
    return out;
  }

private:
  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<http::responder> held_;
};

class server_fixture : public ::testing::Test {
protected:
  ~server_fixture() override {
    for (auto& x : threads_)
      x.join();
  }

  virtual void add_routes(http::router& routes) {
    using namespace http;
    routes.add("GET", "/hello", [](request&& x, responder to) {
      std::string out = x.method + ' ' + x.path;
      for (const auto& [name, value] : x.query)
        out += '|' + name + '=' + value;
      to.send(response::text(200, out));
    });
    routes.add("GET", "/peer", [](request&& x, responder to) {
      to.send(response::text(200, x.peer));
    });
    routes.add("POST", "/echo", [](request&& x, responder to) {
      const auto* type = x.header("content-type");
      to.send(response::of(200, type ? *type : "none", std::move(x.body)));
    });
    routes.add("GET", "/q/{name}", [](request&& x, responder to) {
      to.send(response::text(200, x.captured.at(0)));
    });
    routes.add("POST", "/later", [this](request&& x, responder to) {
      later([body = std::move(x.body),
             to = std::make_shared<responder>(std::move(to))] {
        to->send(response::text(200, body));
      });
    });
    routes.add("GET", "/held",
               [this](request&&, responder to) { held_.hold(std::move(to)); });
    routes.add("GET", "/dropped", [](request&&, responder) {});
    routes.add("GET", "/header/{value}", [](request&& x, responder to) {
      to.send(response::text(200, "ok").with("X-Said", x.captured.at(0)));
    });
    route_options laborious;
    laborious.urlencoded_bytes_max = 100;
    laborious.laborious = true;
    routes.add(
      "POST", "/laborious",
      [this](request&& x, responder to) {
        if (x.body.size() > 100'000)
          finished_.wait();
        to.send(response::text(200, std::move(x.body)));
      },
      laborious);
    route_options gated;
    gated.body_bytes_max = 1000;
    gated.before_body = [this](const request& x, gatekeeper keeper) {
      const bool refused = http::find(x.query, "refuse");
      later(
        [refused, keeper = std::make_shared<gatekeeper>(std::move(keeper))] {
          if (refused)
            keeper->refuse(response::text(429, "slow down"));
          else
            keeper->pass();
        });
    };
    routes.add(
      "POST", "/gated",
      [](request&& x, responder to) {
        to.send(response::text(200, std::move(x.body)));
      },
      gated);
  }

  virtual kit::loop_source loops() {
    return loops_.source();
  }

  void start(http::server_options options = {}) {
    http::router routes;
    add_routes(routes);
    options.loops = loops();
    auto made = http::server::start(std::move(options), std::move(routes));
    ASSERT_TRUE(made) << render(made.error());
    server_ = std::move(*made);
  }

  raw_client connect(int wait_s = 20) {
    return raw_client{server_->port(), wait_s};
  }

  /// Runs on a thread of its own.
  template <class Work>
  void later(Work work) {
    const std::lock_guard lock{guard_};
    threads_.emplace_back(std::move(work));
  }

  loops_of_test loops_;
  held_answers held_;
  std::promise<void> done_; ///< ends the work on long bodies
  std::shared_future<void> finished_ = done_.get_future().share();
  std::unique_ptr<http::server> server_;

private:
  std::mutex guard_;
  std::vector<std::thread> threads_;
};

} // namespace depositd::testing
