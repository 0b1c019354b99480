#pragma once

// The core under random commands, with the model beside it. Everything is a
// function of the seed.

#include "messages/projection.hpp"
#include "tests/actors/engine/core_model.hpp"
#include "tests/support/engine_fixture.hpp"

#include <random>

namespace depositd::testing {

class core_world : public engine_fixture {
public:
  explicit core_world(std::uint64_t seed) : random_(seed) {
    if (chance(3)) // most bodies are read from the journal
      body_budget = 4 * (25 + memory_budget::beside_body);
    if (chance(3))
      disk_spare_bytes = 2048; // old bodies are moved
    if (chance(2))
      slice_items = 1 + below(4); // bulk actions take several commits
  }

  void TestBody() override {
    // nop: made by hand, once per seed
  }

  /// A random life with crashes, and at its end everything is drained.
  void live(int steps);

  /// Ends the actors. Must be called.
  void stop() {
    TearDown();
  }

private:
  struct worker {
    std::uint32_t number = 0; ///< the test's own
    std::string queue;
    criteria wants;
    std::uint32_t lease_ms = 0;
    test_processor sp;
    std::uint64_t credit = 0; ///< asked for and not received
    std::size_t items_seen = 0;
    std::size_t settled_seen = 0;
  };

  // -- chance

  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(random_() % n);
  }

  /// One in `n`.
  bool chance(std::uint32_t n) {
    return below(n) == 0;
  }

  std::string any_user() {
    return std::string{"u"}.append(std::to_string(below(users_)));
  }

  std::string any_queue() {
    return std::string{"q"}.append(std::to_string(below(3)));
  }

  worker* any_worker() {
    return workers_.empty() ? nullptr : &workers_[below(workers_.size())];
  }

  // -- time

  micros now() {
    using namespace std::chrono;
    return time_us
           + duration_cast<microseconds>(sched.clock().now() - started_)
               .count();
  }

  void begin_engine() {
    time_us = now();
    started_ = sched.clock().now();
    start();
  }

  // -- steps

  void step();
  void step_on_failing_disk();
  void give_items(bool one_user);
  void add_worker();
  void ask_for_items();
  void settle_one();
  void settle_stale_one();
  void touch_one();
  void remove_worker();
  void let_time_pass(std::chrono::milliseconds t);
  void change_limits();
  void change_eligibility();
  void suspend();
  void park();
  void purge();
  void crash_and_restart();

  // -- core_polls.cpp
  void poll_some();
  void ack_by_id();
  void renew_by_id();
  void move_a_queue();
  /// Null if there is none.
  const item_id* any_live();
  /// Claims of processors end with the engine, those of polls do not.
  void lose_local_claims();

  // -- checks

  void take_in(bool failing = false);
  void check_hand_out(worker& to, const claimed_item& item);
  void check_store();
  void check_nobody_waits_in_vain();
  bool may_be_handed(const worker& to, const model_item& x, item_id id);
  void drain_everything();
  void forget_workers();

  std::mt19937_64 random_;
  std::uint32_t users_ = 5 + below(16);
  core_model model_;
  std::vector<worker> workers_;
  std::uint32_t workers_last_ = 0;
  std::uint32_t bodies_last_ = 0;
  std::set<item_id> handed_now_;
  engine_clock::steady::time_point started_ = sched.clock().now();

  struct expected_settlement {
    item_id id = 0;
    verdict says = verdict::done;
    micros available_us = never;
    bool accepted = true;
  };
  std::vector<expected_settlement> expected_;
};

} // namespace depositd::testing
