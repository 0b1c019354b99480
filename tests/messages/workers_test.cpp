#include "messages/workers.hpp"

#include "messages/processors.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/all.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace depositd {

namespace {

using namespace std::chrono_literals;
using testing::actor_fixture;

/// A worker that answers what the test tells it: an outcome, or that the disk
/// is full.
using patient_actor =
  handler_actor::extend<caf::reacts_to<outcome>, caf::reacts_to<done>>;

/// What workers have in their hands, by what they were asked.
struct bench {
  std::map<std::string, patient_actor> tasks;
  int spawned = 0;
};

struct patient_state {
  caf::typed_response_promise<outcome> answer;
};

/// "throw" and "quit" it does not survive.
patient_actor::behavior_type
patient(patient_actor::stateful_pointer<patient_state> self,
        std::shared_ptr<bench> at) {
  return {
    [=](const handle_item& x) -> caf::result<outcome> {
      if (x.queue == "throw")
        throw std::runtime_error("as the test wants");
      self->state.answer = self->make_response_promise<outcome>();
      if (x.queue == "quit")
        self->quit(caf::exit_reason::unhandled_exception);
      else
        at->tasks[x.queue] = self;
      return self->state.answer;
    },
    [=](const outcome& x) { self->state.answer.deliver(x); },
    [=](done) {
      self->state.answer.deliver(
        caf::make_error(ec::store_failed, std::string{"the disk is full"}));
    },
  };
}

class workers_test : public actor_fixture {
protected:
  static worker_pool::host untimed() {
    return {[] { return worker_pool::time_point{}; },
            [](caf::timespan, const std::function<void()>&) {}};
  }

  void TearDown() override {
    at->tasks.clear();
    actor_fixture::TearDown();
  }

  handler_actor open(const workers_options& options) {
    auto out = workers<handler_actor>(sys, options, [this] {
      ++at->spawned;
      const auto worker = sys.spawn(patient, at);
      adopt(worker);
      return worker;
    });
    adopt(out);
    settle();
    return out;
  }

  /// Asks; what came of it is in `answers` by the same name.
  void ask_for(const handler_actor& pool, const std::string& name) {
    sys.spawn([=, this](caf::event_based_actor* client) {
      handle_item what;
      what.queue = name;
      client->request(pool, caf::infinite, what)
        .then([=, this](const outcome& x) { answers[name] = x.reason; },
              [=, this](const caf::error& why) { errors[name] = why; });
    });
    settle();
  }

  void finish(const std::string& name) {
    outcome out;
    out.reason = name + " done";
    caf::anon_send(at->tasks.at(name), out);
    at->tasks.erase(name);
    settle();
  }

  std::vector<std::string> in_work() const {
    std::vector<std::string> out;
    for (const auto& [name, worker] : at->tasks)
      out.push_back(name);
    return out;
  }

  using strings = std::vector<std::string>;

  std::shared_ptr<bench> at = std::make_shared<bench>();
  std::map<std::string, std::string> answers;
  std::map<std::string, caf::error> errors;
};

TEST_F(workers_test, give_every_worker_one_request_at_a_time) {
  const auto pool = open({.count = 2});
  for (const auto* name : {"a", "b", "c", "d"})
    ask_for(pool, name);
  EXPECT_EQ(in_work(), (strings{"a", "b"}));
  finish("b");
  EXPECT_EQ(answers["b"], "b done");
  EXPECT_EQ(in_work(), (strings{"a", "c"})) << "in the order they came";
  finish("a");
  finish("c");
  finish("d");
  EXPECT_EQ(answers.size(), 4u);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(at->spawned, 2);
}

TEST_F(workers_test, are_made_when_they_are_needed) {
  const auto pool = open({.count = 3});
  EXPECT_EQ(at->spawned, 0);
  ask_for(pool, "a");
  finish("a");
  ask_for(pool, "b");
  EXPECT_EQ(at->spawned, 1) << "one is idle";
  ask_for(pool, "c");
  EXPECT_EQ(at->spawned, 2);
}

TEST_F(workers_test, refuse_while_no_thread_can_be_had) {
  int asked = 0;
  std::vector<caf::error> refused;
  bool none = true;
  worker_pool pool;
  pool.open({.count = 2}, untimed(), [&] {
    if (none)
      throw std::runtime_error("as the test wants");
    return spawn(
      [](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; });
  });
  const auto take = [&] {
    pool.take({[&](const caf::actor&) { ++asked; },
               [&](const caf::error& why) { refused.push_back(why); }});
  };
  take();
  ASSERT_EQ(refused.size(), 1u) << "nobody would come to it";
  EXPECT_TRUE(refused[0] == ec::overloaded);
  none = false;
  take();
  none = true;
  take();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(refused.size(), 1u) << "it waits for the one there is";
}

TEST_F(workers_test, refuse_what_would_wait_beyond_the_limit) {
  const auto pool = open({.count = 3, .waiting_max = 4});
  for (int i = 1; i <= 8; ++i)
    ask_for(pool, std::to_string(i));
  ASSERT_EQ(errors.size(), 1u) << "three are in work, four wait";
  EXPECT_EQ(errors["8"], ec::overloaded);
  for (int i = 1; i <= 7; ++i)
    finish(std::to_string(i));
  EXPECT_EQ(answers.size(), 7u);
}

TEST_F(workers_test, pass_on_a_workers_own_error_and_keep_it) {
  const auto pool = open({});
  ask_for(pool, "a");
  caf::anon_send(at->tasks.at("a"), done{});
  settle();
  EXPECT_EQ(errors["a"], ec::store_failed);
  ask_for(pool, "b");
  finish("b");
  EXPECT_EQ(answers["b"], "b done");
  EXPECT_EQ(at->spawned, 1);
}

TEST_F(workers_test, answer_for_a_worker_that_dies_and_replace_it) {
  const auto pool = open({});
  ask_for(pool, "quit");
  ask_for(pool, "throw");
  EXPECT_EQ(errors["quit"], caf::exit_reason::unhandled_exception);
  EXPECT_EQ(errors["throw"], caf::sec::runtime_error);
  ask_for(pool, "a");
  const auto worker = at->tasks.at("a");
  ask_for(pool, "b");
  caf::anon_send_exit(worker, caf::exit_reason::kill);
  settle();
  EXPECT_TRUE(errors["a"]);
  finish("b");
  EXPECT_EQ(answers["b"], "b done");
  EXPECT_EQ(at->spawned, 4);
}

TEST_F(workers_test, replace_a_worker_that_dies_while_idle) {
  const auto pool = open({});
  ask_for(pool, "a");
  const auto worker = at->tasks.at("a");
  finish("a");
  caf::anon_send_exit(worker, caf::exit_reason::kill);
  settle();
  ask_for(pool, "b");
  finish("b");
  EXPECT_EQ(answers["b"], "b done");
  EXPECT_EQ(at->spawned, 2);
}

TEST_F(workers_test, give_up_a_worker_that_is_stuck) {
  const auto pool = open({.job_timeout = 60s});
  ask_for(pool, "a");
  ask_for(pool, "b");
  advance(59s);
  EXPECT_EQ(in_work(), strings{"a"});
  advance(1s);
  EXPECT_EQ(errors["a"], caf::sec::request_timeout);
  EXPECT_EQ(at->spawned, 2);
  finish("a"); // it was late: nobody is told
  EXPECT_TRUE(answers.empty());
  finish("b");
  EXPECT_EQ(answers["b"], "b done");
  EXPECT_EQ(at->spawned, 2);
}

TEST_F(workers_test, have_one_timer_however_much_is_asked) {
  const auto pool = open({.count = 3, .job_timeout = 60s});
  const auto timers = [&] { return sched.clock().schedule().size(); };
  for (const auto* name : {"a", "b", "c"}) {
    ask_for(pool, name);
    EXPECT_EQ(timers(), 1u);
  }
  finish("a");
  ask_for(pool, "d");
  EXPECT_EQ(timers(), 1u) << "it is not taken back and set again";
  finish("b");
  finish("c");
  advance(59s);
  ask_for(pool, "e");
  advance(1s);
  EXPECT_EQ(errors["d"], caf::sec::request_timeout);
  finish("e");
  EXPECT_EQ(answers["e"], "e done");
  advance(59s);
  EXPECT_EQ(timers(), 0u) << "nobody has anything to do";
}

TEST_F(workers_test, leave_a_place_empty_while_too_many_are_stuck) {
  worker_pool pool;
  std::vector<caf::actor> workers;
  pool.open({.count = 1}, untimed(), [&] {
    return workers.emplace_back(spawn(
      [](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; }));
  });
  int asked = 0;
  const auto take = [&] {
    pool.take({[&](const caf::actor&) { ++asked; }, [](const caf::error&) {}});
  };
  // Nobody says that they have ended: as if their threads hung.
  for (int i = 0; i < 4; ++i) {
    take();
    pool.failed(workers.back(), caf::sec::request_timeout);
  }
  EXPECT_EQ(workers.size(), 4u) << "the fourth was not replaced";
  take();
  EXPECT_EQ(asked, 4);
  pool.ended(workers.front().address(), caf::exit_reason::kill);
  EXPECT_EQ(workers.size(), 5u);
  EXPECT_EQ(asked, 5) << "what waited has the place";
}

TEST_F(workers_test, end_with_the_pool_and_tell_who_waits) {
  const auto pool = open({.count = 2});
  for (const auto* name : {"a", "b", "c"})
    ask_for(pool, name);
  finish("b");
  finish("c");
  ask_for(pool, "d");
  ask_for(pool, "e");
  int ended = 0;
  const auto watching =
    spawn([&](caf::event_based_actor* watcher) -> caf::behavior {
      watcher->set_down_handler([&](const caf::down_msg&) { ++ended; });
      for (const auto& [name, worker] : at->tasks)
        watcher->monitor(worker);
      return {[](int) {}};
    });
  caf::anon_send_exit(pool, caf::exit_reason::kill);
  settle();
  EXPECT_EQ(ended, 2);
  for (const auto* name : {"a", "d", "e"})
    EXPECT_EQ(errors[name], ec::draining) << name;
}

} // namespace

} // namespace depositd
