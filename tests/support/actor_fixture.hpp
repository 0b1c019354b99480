#pragma once

// Actors under test run on CAF's deterministic scheduler: one thread, messages
// in the order they were sent, time moved by hand.

#include "messages/message_types.hpp"
#include "tests/support/answer_of.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

namespace depositd::testing {

class actor_fixture : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      add_depositd_messages(*this);
      set("scheduler.policy", caf::atom("testing"));
    }
  };

  actor_fixture() {
    sched.clock().current_time += std::chrono::hours{1}; // never time zero
  }

  /// Kills what the test spawned: a living actor would hang ~actor_system, and
  /// a periodic one would keep the scheduler's own stop busy for ever.
  void TearDown() override {
    for (auto& x : spawned_)
      caf::anon_send_exit(x, caf::exit_reason::kill);
    spawned_.clear();
    settle();
  }

  /// Spawns and runs the actor's start.
  template <class... Ts>
  auto spawn(Ts&&... xs) {
    auto handle = sys.spawn(std::forward<Ts>(xs)...);
    spawned_.push_back(caf::actor_cast<caf::strong_actor_ptr>(handle));
    settle();
    return handle;
  }

  /// Also kills this one at the end; for actors that other actors spawned.
  template <class Handle>
  void adopt(const Handle& handle) {
    spawned_.push_back(caf::actor_cast<caf::strong_actor_ptr>(handle));
  }

  /// Runs until nobody has anything to do. Bounded, so that an endless
  /// self-send ends the test rather than the day.
  std::size_t settle(std::size_t events_max = 100'000) {
    return sched.run(events_max);
  }

  /// Moves the actors' clock and runs what became due.
  void advance(caf::timespan t) {
    sched.advance_time(t);
    settle();
  }

  /// Sends one request, runs, and returns the answer. No answer yields
  /// `caf::sec::request_timeout`.
  template <class T, class Handle, class Message>
  caf::expected<T> ask(const Handle& handle, Message message) {
    const auto id = ask_whole(
      self, caf::actor_cast<caf::strong_actor_ptr>(handle),
      caf::make_message(std::move(message)));
    settle();
    // Waiting would take for ever without a reply.
    if (!self->has_next_message())
      return caf::make_error(caf::sec::request_timeout);
    return unwrap<T>(take_whole(self, id));
  }

  config cfg;
  caf::actor_system sys{cfg};
  caf::scheduler::test_coordinator& sched =
    dynamic_cast<caf::scheduler::test_coordinator&>(sys.scheduler());
  caf::scoped_actor self{sys, true};

private:
  std::vector<caf::strong_actor_ptr> spawned_;
};

} // namespace depositd::testing
