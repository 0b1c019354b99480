// Actors and sockets in one thread.

#include "adapters/doors/kit/actor_loop.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

using namespace depositd::kit;
using namespace std::chrono_literals;

namespace {

using thread_told = std::promise<std::thread::id>;

/// Tells in which thread it runs, and counts on.
caf::behavior counter(caf::event_based_actor*,
                      std::shared_ptr<thread_told> where) {
  return {
    [=](caf::unit_t) { where->set_value(std::this_thread::get_id()); },
    [=](int x) { return x + 1; },
  };
}

/// Always has something to do, until it is told otherwise.
caf::behavior busy(caf::event_based_actor* self,
                   std::shared_ptr<std::atomic<bool>> rests) {
  self->send(self, caf::unit);
  return {
    [=](caf::unit_t) {
      if (!*rests)
        self->send(self, caf::unit);
    },
  };
}

class actor_loop : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      run_actors_in_loop(*this);
      set("scheduler.max-throughput", std::size_t{8});
    }
  };

  actor_loop() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
      throw std::runtime_error("no sockets");
  }

  ~actor_loop() override {
    x->stop();
    close(ends[0]);
    close(ends[1]);
  }

  /// From another thread's sight: the answer of an actor.
  int ask(const caf::actor& whom, int what) {
    int out = 0;
    self->request(whom, 20s, what)
      .receive([&](int answer) { out = answer; },
               [](const caf::error& why) {
                 throw std::runtime_error("no answer: " + to_string(why));
               });
    return out;
  }

  config cfg;
  caf::actor_system sys{cfg};
  caf::scoped_actor self{sys};
  std::unique_ptr<loop> x = loops_of(sys).make();
  int ends[2] = {-1, -1};
};

} // namespace

TEST_F(actor_loop, has_actors_and_descriptors_in_one_thread) {
  const auto where = std::make_shared<thread_told>();
  const auto told = sys.spawn(counter, where);
  caf::anon_send(told, caf::unit);
  const auto of_actors = where->get_future().get();
  EXPECT_EQ(compute_in(*x, [] { return std::this_thread::get_id(); }),
            of_actors);
  EXPECT_NE(of_actors, std::this_thread::get_id());
}

TEST_F(actor_loop, is_made_by_no_other_scheduler) {
  caf::actor_system_config usual;
  usual.set("scheduler.max-threads", std::size_t{1});
  caf::actor_system other{usual};
  const auto own = loops_of(other).make();
  EXPECT_NE(compute_in(*own, [] { return std::this_thread::get_id(); }),
            compute_in(*x, [] { return std::this_thread::get_id(); }));
}

// Each question meets a thread that is about to wait, or waits: one whose wake
// got lost would never be answered.
TEST_F(actor_loop, hears_other_threads_however_they_meet_it) {
  std::vector<std::thread> askers;
  for (int i = 0; i < 3; ++i)
    askers.emplace_back([this] {
      caf::scoped_actor asks{sys};
      const auto whom = sys.spawn(counter, nullptr);
      for (int k = 0; k < 5'000; ++k)
        asks->request(whom, 20s, k)
          .receive([&](int y) { EXPECT_EQ(y, k + 1); },
                   [](const caf::error& why) {
                     ADD_FAILURE() << to_string(why);
                   });
    });
  for (int k = 0; k < 5'000; ++k)
    EXPECT_EQ(compute_in(*x, [k] { return k; }), k);
  for (auto& one : askers)
    one.join();
}

TEST_F(actor_loop, looks_at_sockets_while_an_actor_never_rests) {
  const auto rests = std::make_shared<std::atomic<bool>>(false);
  sys.spawn(busy, rests);
  std::promise<void> arrived;
  std::promise<void> due;
  compute_in(*x, [&] {
    x->watch(ends[0], interest::reading, [&] {
      x->unwatch(ends[0]);
      arrived.set_value();
    });
    x->post_at(x->now() + 1ms, [&] { due.set_value(); });
  });
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_EQ(arrived.get_future().wait_for(20s), std::future_status::ready);
  EXPECT_EQ(due.get_future().wait_for(20s), std::future_status::ready);
  *rests = true;
}

TEST_F(actor_loop, runs_actors_while_a_socket_is_always_ready) {
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  std::atomic<int> looks{0};
  compute_in(*x, [&] {
    // Never read, so it is told again and again.
    x->watch(ends[0], interest::reading, [&] { ++looks; });
  });
  const auto asked = sys.spawn(counter, nullptr);
  for (int i = 0; i < 1'000; ++i)
    ASSERT_EQ(ask(asked, i), i + 1);
  EXPECT_GT(looks, 0);
  compute_in(*x, [&] { x->unwatch(ends[0]); });
}

TEST_F(actor_loop, runs_actors_while_tasks_never_end) {
  const auto ends_now = std::make_shared<std::atomic<bool>>(false);
  const std::function<void()> again = [&again, ends_now, this] {
    if (!*ends_now)
      x->post(again);
  };
  x->post(again);
  const auto asked = sys.spawn(counter, nullptr);
  for (int i = 0; i < 1'000; ++i)
    ASSERT_EQ(ask(asked, i), i + 1);
  *ends_now = true;
  compute_in(*x, [] {}); // the last one has run
}

TEST_F(actor_loop, ends_a_loop_and_leaves_the_others) {
  auto other = loops_of(sys).make();
  const auto of_ended = std::make_shared<std::atomic<int>>(0);
  const auto of_living = std::make_shared<std::atomic<int>>(0);
  compute_in(*x, [&] {
    other->after_each_look([=] { ++*of_ended; });
    other->post_at(other->now() + 24h, [=] { ++*of_ended; });
    other->watch(ends[0], interest::reading, [=] { ++*of_ended; });
    x->after_each_look([=] { ++*of_living; });
  });
  other->stop();
  const int before = *of_ended;
  other->post([=] { ++*of_ended; });
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  const int seen = *of_living;
  for (int i = 0; i < 10; ++i)
    compute_in(*x, [] {});
  EXPECT_GT(*of_living, seen);
  EXPECT_EQ(*of_ended, before);
}

// What the door has for its client is held by what it has posted.
TEST_F(actor_loop, lets_go_of_what_an_ended_loop_was_given) {
  auto other = loops_of(sys).make();
  const auto held = std::make_shared<int>(1);
  compute_in(*x, [&] { other->post_at(other->now() + 24h, [held] {}); });
  other->stop();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(actor_loop, ends_with_actors_that_have_something_to_do) {
  auto ended = std::make_unique<caf::actor_system>(cfg);
  const auto rests = std::make_shared<std::atomic<bool>>(false);
  const auto last = ended->spawn(busy, rests);
  caf::anon_send_exit(last, caf::exit_reason::kill);
  EXPECT_NO_THROW(ended.reset());
}
