#include "config/shard_threads.hpp"

#include <caf/actor_system.hpp>
#include <caf/all.hpp>

#include <map>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace depositd {

namespace {

using caf::actor;
using caf::event_based_actor;
using thread_id = std::thread::id;
using caf::atom;
using where_atom = caf::atom_constant<caf::atom("where")>;
using child_atom = caf::atom_constant<caf::atom("child")>;
using pass_atom = caf::atom_constant<caf::atom("pass")>;

/// A thread's number that a message can carry.
std::uint64_t here() {
  return std::hash<thread_id>{}(std::this_thread::get_id());
}

/// Tells in which thread it is, and its child; passes numbers on.
caf::behavior teller(event_based_actor* self) {
  return {
    [=](where_atom) { return here(); },
    [=](child_atom) -> caf::result<std::uint64_t> {
      const auto child = self->spawn(teller);
      auto promise = self->make_response_promise<std::uint64_t>();
      self->request(child, caf::infinite, where_atom::value)
        .then([=](std::uint64_t x) mutable { promise.deliver(x); });
      return promise;
    },
    [=](pass_atom, std::uint64_t left, const actor& other,
        const actor& told) {
      if (left == 0)
        self->send(told, here());
      else
        self->send(other, pass_atom::value, left - 1, caf::actor{self}, told);
    },
  };
}

class shard_threads_test : public ::testing::Test {
protected:
  static constexpr std::size_t threads = 3;

  struct with_threads : caf::actor_system_config {
    with_threads() {
      run_shards_in_threads(*this, threads);
    }
  };

  std::uint64_t ask(const actor& who, caf::message what) {
    std::uint64_t out = 0;
    caf::scoped_actor self{system};
    self->request(who, caf::infinite, std::move(what))
      .receive([&](std::uint64_t x) { out = x; },
               [](const caf::error& why) {
                 ADD_FAILURE() << caf::to_string(why);
               });
    return out;
  }

  std::uint64_t where(const actor& who) {
    return ask(who, caf::make_message(where_atom::value));
  }

  actor spawn_in(shard_number shard) {
    const in_thread_of here{shard};
    return system.spawn(teller);
  }

  with_threads config;
  caf::actor_system system{config};
};

} // namespace

TEST_F(shard_threads_test, each_shard_has_one) {
  std::set<std::uint64_t> all;
  for (shard_number shard = 0; shard < threads; ++shard) {
    const auto first = where(spawn_in(shard));
    all.insert(first);
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(where(spawn_in(shard)), first);
    EXPECT_EQ(where(spawn_in(shard + threads)), first);
  }
  EXPECT_EQ(all.size(), threads);
}

TEST_F(shard_threads_test, who_is_spawned_stays_with_who_did) {
  for (shard_number shard = 0; shard < threads; ++shard) {
    const auto parent = spawn_in(shard);
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(ask(parent, caf::make_message(child_atom::value)),
                where(parent));
  }
}

TEST_F(shard_threads_test, it_stays_whoever_sends) {
  const auto a = spawn_in(0);
  const auto b = spawn_in(1);
  const auto before = where(a);
  caf::scoped_actor self{system};
  const std::uint64_t messages = 20'000;
  self->send(a, pass_atom::value, messages, b, actor{self});
  // An even number: it ends where it began.
  self->receive([&](std::uint64_t x) { EXPECT_EQ(x, before); });
  EXPECT_EQ(where(a), before);
  EXPECT_NE(where(b), before);
}

TEST_F(shard_threads_test, others_are_put_to_one_after_the_other) {
  std::map<std::uint64_t, int> count;
  for (std::size_t i = 0; i < 10 * threads; ++i)
    ++count[where(system.spawn(teller))];
  ASSERT_EQ(count.size(), threads);
  for (const auto& [thread, actors] : count)
    EXPECT_EQ(actors, 10);
}

TEST_F(shard_threads_test, who_is_busy_with_itself_hears_others) {
  const auto busy = system.spawn([](event_based_actor* self) -> caf::behavior {
    self->send(self, pass_atom::value);
    return {
      [=](pass_atom) { self->send(self, pass_atom::value); },
      [=](where_atom) {
        self->quit();
        return here();
      },
    };
  });
  EXPECT_NE(where(busy), 0u);
}

TEST(shard_threads, are_no_more_than_shards_and_processors) {
  EXPECT_EQ(shard_threads(1), 1u);
  EXPECT_LE(shard_threads(256),
            std::max(1U, std::thread::hardware_concurrency()));
}

} // namespace depositd
