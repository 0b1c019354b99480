// How long requests are remembered that nobody answers.

#include "adapters/doors/kit/gateway.hpp"
#include "messages/actors.hpp"
#include "messages/message_types.hpp"
#include "messages/operators.hpp"
#include "messages/receiving.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {

/// The allocation of this thread that fails, counted down; 0: none.
thread_local int fails_in = 0;

} // namespace

void* operator new(std::size_t bytes) {
  if (fails_in > 0 && --fails_in == 0)
    throw std::bad_alloc{};
  if (auto* out = std::malloc(bytes))
    return out;
  throw std::bad_alloc{};
}

void operator delete(void* x) noexcept {
  std::free(x);
}

void operator delete(void* x, std::size_t) noexcept {
  std::free(x);
}

namespace depositd::testing {

namespace {

using namespace kit;
using namespace std::chrono_literals;

TEST(gateway, is_patient_with_what_takes_long) {
  caf::actor_system_config config;
  add_depositd_messages(config);
  caf::actor_system system{config};
  caf::scoped_actor silent{system};
  const caf::strong_actor_ptr whom{silent->ctrl()};
  gateway asked{system, {.patience = 0ms, .long_patience = 1h, .news = {}}};
  const auto ask = [&](auto what) {
    auto alive = std::make_shared<int>();
    asked.ask(whom, std::move(what), [alive](const core_answer&) {});
    return std::weak_ptr{alive};
  };
  const auto slow = ask(purge_queue{"q"});
  const auto quick = ask(count_queue{"q"});
  // Whoever comes later looks after those before, a part of them each.
  for (int i = 0; i < 100; ++i)
    ask(count_queue{"q"});
  EXPECT_FALSE(slow.expired());
  EXPECT_TRUE(quick.expired());
}

class full_gateway : public actor_fixture {
protected:
  /// Asks somebody who does not answer, because nothing runs here.
  void ask_in_vain(gateway& asked) {
    const auto silent = spawn([](caf::event_based_actor*) -> caf::behavior {
      return {[](const count_queue&) { return done{}; }};
    });
    asked.ask(silent, count_queue{"q"}, [held = held](core_answer) {});
  }

  /// Held by every request that is waited for.
  std::shared_ptr<int> held = std::make_shared<int>();
};

TEST_F(full_gateway, is_full_while_so_many_wait) {
  gateway asked{sys, {.outstanding_max = 1, .patience = 1h, .news = {}}};
  EXPECT_FALSE(asked.full());
  ask_in_vain(asked);
  EXPECT_TRUE(asked.full());
  EXPECT_EQ(held.use_count(), 2);
}

// The first thing it needs memory for is the taker, then come its places.
TEST_F(full_gateway, is_not_full_of_what_there_was_no_memory_for) {
  gateway asked{sys, {.outstanding_max = 1, .patience = 1h, .news = {}}};
  const caf::strong_actor_ptr whom{self->ctrl()};
  for (const int at : {1, 2, 3}) {
    const auto ask = [&] {
      asked.ask(whom, count_queue{"q"}, [](core_answer) {});
    };
    fails_in = at;
    EXPECT_THROW(ask(), std::bad_alloc) << at;
    fails_in = 0;
    EXPECT_FALSE(asked.full()) << at;
  }
}

TEST_F(full_gateway, is_not_full_of_those_who_have_waited_too_long) {
  gateway asked{sys, {.outstanding_max = 1, .patience = 0ms, .news = {}}};
  ask_in_vain(asked);
  EXPECT_FALSE(asked.full());
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(full_gateway, drops_who_has_waited_too_long_when_it_is_told_to) {
  gateway asked{sys, {.patience = 0ms, .news = {}}};
  ask_in_vain(asked);
  EXPECT_EQ(held.use_count(), 2);
  asked.drop_late();
  EXPECT_EQ(held.use_count(), 1);
  settle(); // the answer comes after all, to nobody
  EXPECT_EQ(held.use_count(), 1);
}

// The client has gone; the message and its memory are still in the mailbox.
TEST_F(full_gateway, keeps_what_a_message_takes_until_it_is_answered) {
  gateway asked{sys, {.patience = 0ms, .news = {}}};
  const auto budget = std::make_shared<int>();
  const auto slow = spawn([](caf::event_based_actor*) -> caf::behavior {
    return {[](const count_queue&) { return done{}; }};
  });
  asked.ask(
    slow, count_queue{"q"}, [held = held](core_answer) {}, budget);
  asked.drop_late();
  EXPECT_EQ(held.use_count(), 1) << "nobody waits";
  EXPECT_EQ(budget.use_count(), 2);
  EXPECT_FALSE(asked.full());
  settle();
  EXPECT_EQ(budget.use_count(), 1);
}

TEST_F(full_gateway, keeps_nothing_for_ever_that_nobody_answers) {
  const auto budget = std::make_shared<int>();
  const auto dead = spawn([](caf::event_based_actor*) -> caf::behavior {
    return {[](const count_queue&) { return done{}; }};
  });
  gateway asked{sys, {.patience = 0ms, .long_patience = 0ms, .news = {}}};
  asked.ask(
    dead, count_queue{"q"}, [](core_answer) {}, budget);
  asked.drop_late();
  asked.drop_late();
  EXPECT_EQ(budget.use_count(), 1);
  gateway closed{sys, {.patience = 0ms, .news = {}}};
  closed.ask(
    dead, count_queue{"q"}, [](core_answer) {}, budget);
  closed.drop_late();
  EXPECT_EQ(budget.use_count(), 2);
  closed.close();
  EXPECT_EQ(budget.use_count(), 1);
}

TEST_F(full_gateway, drops_nobody_who_may_still_wait) {
  gateway asked{sys, {.patience = 1h, .news = {}}};
  ask_in_vain(asked);
  asked.drop_late();
  EXPECT_EQ(held.use_count(), 2);
}

} // namespace

} // namespace depositd::testing
