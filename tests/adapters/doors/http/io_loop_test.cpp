// What the loop of the server does with its sockets, on a loop that is moved by
// hand.

#include "adapters/doors/http/io_loop.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace depositd::http {

namespace {

using namespace std::chrono_literals;

/// What a loop that is moved by hand was given.
struct loop_hands {
  std::map<int, kit::loop::task> watched;
  std::deque<kit::loop::task> posted;
  std::multimap<kit::loop::time, kit::loop::task> later;
  kit::loop::time now;

  void run_posted() {
    while (!posted.empty()) {
      auto next = std::move(posted.front());
      posted.pop_front();
      if (next)
        next();
    }
  }

  void pass(std::chrono::milliseconds t) {
    now += t;
    while (!later.empty() && later.begin()->first <= now) {
      auto next = std::move(later.begin()->second);
      later.erase(later.begin());
      next();
    }
  }
};

class loop_by_hand final : public kit::loop {
public:
  explicit loop_by_hand(std::shared_ptr<loop_hands> hands)
    : hands_(std::move(hands)) {
    // nop
  }

  void watch(int descriptor, kit::interest, task ready) override {
    hands_->watched[descriptor] = std::move(ready);
  }

  void unwatch(int descriptor) override {
    hands_->watched.erase(descriptor);
  }

  void post(task what) override {
    hands_->posted.push_back(std::move(what));
  }

  void post_at(time when, task what) override {
    hands_->later.emplace(when, std::move(what));
  }

  void after_each_look(task) override {
    // nop
  }

  time now() const override {
    return hands_->now;
  }

  void stop() override {
    hands_->run_posted();
  }

private:
  std::shared_ptr<loop_hands> hands_;
};

class http_loop : public ::testing::Test {
protected:
  /// It does not listen: nobody can be taken, and that lasts.
  http_loop() : listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    of_server.start(listener, {.arrived = [](int socket, const sockaddr*) {
                                 ::close(socket);
                               },
                               .gone = [](connection&) {}});
    hands->run_posted();
  }

  ~http_loop() override {
    of_server.stop();
  }

  bool listens() const {
    return hands->watched.contains(listener);
  }

  void take_nobody() {
    ASSERT_TRUE(listens());
    const auto ready = hands->watched[listener];
    ready();
  }

  const int listener;
  const std::shared_ptr<loop_hands> hands = std::make_shared<loop_hands>();
  io_loop of_server{std::make_unique<loop_by_hand>(hands), 100ms};
};

TEST_F(http_loop, rests_from_a_socket_that_takes_nobody_whatever_the_reason) {
  take_nobody();
  EXPECT_FALSE(listens()) << "told for ever";
  hands->pass(1min);
  EXPECT_TRUE(listens()) << "never again";
}

TEST_F(http_loop, listens_no_more_if_it_is_stopped_while_it_rests) {
  take_nobody();
  of_server.stop_listening();
  hands->run_posted();
  hands->pass(1min);
  EXPECT_TRUE(hands->watched.empty()) << "whoever has the number by then";
}

} // namespace

} // namespace depositd::http
