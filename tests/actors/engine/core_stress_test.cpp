// The core on real threads and a real journal: producers, polling workers and
// operators at once, and then the books must balance. What the deterministic
// tests cannot show: races between actors that share counters and bodies.

#include "messages/operators.hpp"
#include "tests/actors/engine/core_stress_books.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/threaded_engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace depositd {

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr const char* polled_queue = "q";
constexpr const char* attached_queue = "attached";

/// With less the test proves nothing.
constexpr std::size_t accepted_min = 1000;

std::chrono::milliseconds hammering_time() {
  const char* wanted = std::getenv("DEPOSITD_STRESS_S");
  return std::chrono::seconds{wanted != nullptr ? std::atoi(wanted) : 5};
}

std::string user_of(std::size_t number) {
  return "user-" + std::to_string(number);
}

// -- who hammers --------------------------------------------------------------

using namespace stress;

class core_stress_test : public ::testing::Test {
protected:
  core_stress_test() : engine(home.path() / "journal") {
    // nop
  }

  void produce(unsigned seed) {
    caf::scoped_actor self{engine.system()};
    std::minstd_rand chance{seed};
    for (unsigned n = 0; !stop; ++n) {
      const bool attached = n % 4 == 0;
      enqueue what{attached ? attached_queue : polled_queue, {}};
      for (auto count = chance() % 20 + 1; count > 0; --count)
        what.items.push_back(
          {user_of(chance() % 8), 0,
           std::to_string(seed) + "-" + std::to_string(n) + "-"
             + std::to_string(count) + std::string(chance() % 900, '.')});
      const auto items = what.items;
      const auto got = engine.ask<enqueued>(self, std::move(what));
      if (!got) {
        all.note("enqueue: " + render(got.error()));
        return;
      }
      auto& all = attached ? of_processors : this->all;
      const std::lock_guard guard{all.mutex};
      for (std::size_t i = 0; i < items.size(); ++i)
        if (!all.accepted.insert(got->ids[i]).second)
          all.surprises.emplace_back("an id was given twice");
        else
          all.bodies[got->ids[i]] = items[i].body;
    }
  }

  /// Ends items and adds up which of them were there.
  void finish(caf::scoped_actor& self, const std::vector<item_name>& names) {
    settle_items what{polled_queue, {}};
    for (const auto& name : names)
      what.items.push_back({name, verdict::done, 0, "", "", ""});
    const auto got = engine.ask<items_settled>(self, std::move(what));
    if (!got)
      return all.note("end: " + render(got.error()));
    const std::lock_guard guard{all.mutex};
    for (std::size_t i = 0; i < names.size(); ++i)
      if (got->accepted[i] != 0)
        all.ended.insert(names[i].id);
  }

  void retry(caf::scoped_actor& self, const item_name& name) {
    settle_items what{polled_queue,
                      {{name, verdict::retry, 1, "later", "", ""}}};
    if (!engine.ask<items_settled>(self, std::move(what)))
      all.note("retry was not answered");
  }

  void renew(caf::scoped_actor& self, const std::vector<item_name>& names,
             std::uint32_t lease_ms) {
    if (!engine.ask<done>(self,
                          renew_items{polled_queue, "w", lease_ms, names}))
      all.note("renew was not answered");
  }

  /// Takes some; false if there was nothing.
  bool work_once(caf::scoped_actor& self, std::minstd_rand& chance) {
    const auto lease_ms = static_cast<std::uint32_t>(chance() % 200 + 1);
    const auto count = static_cast<std::uint32_t>(chance() % 30 + 1);
    const auto got = engine.ask<items_received>(
      self, receive_items{polled_queue, "w", count, lease_ms, no_cap});
    if (!got) {
      all.note("take: " + render(got.error()));
      return false;
    }
    std::vector<item_name> mine;
    for (const auto& x : got->items) {
      check_body(x);
      mine.push_back(x.name);
    }
    if (mine.empty())
      return false;
    switch (chance() % 8) {
      case 0: // as if the worker had died
        break;
      case 1:
        renew(self, mine, 0);
        break;
      case 2:
        retry(self, mine.front());
        break;
      case 3:
        renew(self, mine, 1000);
        [[fallthrough]];
      default:
        finish(self, mine);
    }
    return true;
  }

  void check_body(const received_item& x) {
    if (x.body == nullptr)
      return all.note("an item came without its body");
    const std::lock_guard guard{all.mutex};
    const auto known = all.bodies.find(x.name.id);
    // One that was polled before its producer had the answer is not known yet.
    if (known != all.bodies.end() && known->second != *x.body)
      all.surprises.emplace_back("an item came with another body");
  }

  void work(unsigned seed) {
    caf::scoped_actor self{engine.system()};
    std::minstd_rand chance{seed};
    while (!stop)
      work_once(self, chance);
  }

  template <class Reply, class Message>
  void must(caf::scoped_actor& self, Message message) {
    const auto got = engine.ask<Reply>(self, std::move(message));
    if (!got)
      all.note("operator: " + render(got.error()));
  }

  void change(caf::scoped_actor& self, event x) {
    must<done>(self, propose{{std::move(x)}});
  }

  void operate(unsigned seed) {
    caf::scoped_actor self{engine.system()};
    std::minstd_rand chance{seed};
    while (!stop) {
      const auto user = user_of(chance() % 8);
      const auto some = static_cast<std::uint32_t>(chance() % 4);
      switch (chance() % 8) {
        case 0:
          change(self, server_changed{chance() % 4 == 0, true});
          break;
        case 1:
          change(self, user_eligibility_changed{user, some == 0, some == 1});
          break;
        case 2:
        case 3:
          change(self, user_limits_changed{polled_queue, user, some % 2 == 0,
                                           some, some > 1, some * 10});
          break;
        case 4:
          must<done>(self, release_queue{polled_queue});
          break;
        case 5: {
          park_matching what;
          what.queue = polled_queue;
          what.users = {user};
          what.to_us = std::numeric_limits<micros>::max();
          what.parked = some == 0;
          must<matching_parked>(self, what);
          break;
        }
        case 6:
          must<queues_listed>(self, list_queues{});
          break;
        default:
          must<queue_counted>(self, count_queue{polled_queue});
      }
    }
  }

  /// Everything that operators did, undone.
  void reset(caf::scoped_actor& self) {
    change(self, server_changed{false, true});
    for (std::size_t i = 0; i < 8; ++i) {
      change(self, user_eligibility_changed{user_of(i), false, false});
      change(self, user_limits_changed{polled_queue, user_of(i), false, 0,
                                       false, 0});
    }
    park_matching back;
    back.queue = polled_queue;
    back.to_us = std::numeric_limits<micros>::max();
    back.parked = false;
    must<matching_parked>(self, back);
  }

  void attach_processors(caf::scoped_actor& self, int count) {
    const auto door =
      engine.ask<queue_port_actor>(self, open_queue{attached_queue});
    ASSERT_TRUE(door);
    for (int i = 0; i < count; ++i) {
      const auto fresh
        = engine.system().spawn(ending_processor, *door, &of_processors);
      self->request(*door, 30s, attach{fresh, "sp", {}, 0})
        .receive([&](const attached& x) { caf::anon_send(fresh, x); },
                 [&](const caf::error& why) { all.note(render(why)); });
      processors.push_back(fresh);
    }
  }

  /// Waits for what a busy machine has not done yet; false if it never does.
  bool enough_was_accepted() {
    const auto deadline = steady::now() + 60s;
    while (steady::now() < deadline) {
      {
        const std::lock_guard guard{all.mutex};
        if (all.accepted.size() > accepted_min)
          return true;
      }
      std::this_thread::sleep_for(10ms); // sleeps: look
    }
    return false;
  }

  /// Processors end what is left; false if that takes too long.
  bool processors_are_done() {
    const auto deadline = steady::now() + 60s;
    for (;;) {
      {
        const std::lock_guard guard{of_processors.mutex};
        if (of_processors.ended.size() >= of_processors.accepted.size())
          return true;
      }
      if (steady::now() > deadline)
        return false;
      std::this_thread::sleep_for(10ms); // sleeps: look
    }
  }

  queue_counted counted(caf::scoped_actor& self,
                        const char* queue = polled_queue) {
    const auto got = engine.ask<queue_counted>(self, count_queue{queue});
    EXPECT_TRUE(got);
    return got ? *got : queue_counted{};
  }

  /// Acks what is left; false if that does not come to an end.
  bool empty(caf::scoped_actor& self) {
    const auto deadline = steady::now() + 60s;
    while (counted(self).items > 0) {
      const auto got = engine.ask<items_received>(
        self, receive_items{polled_queue, "w", 1000, 60'000, no_cap});
      if (!got || steady::now() > deadline)
        return false;
      std::vector<item_name> names;
      for (const auto& x : got->items) {
        check_body(x);
        names.push_back(x.name);
      }
      finish(self, names);
    }
    return true;
  }

  temporary_folder home{temporary_folder::fast_base()};
  testing::threaded_engine engine;
  books all;
  books of_processors; ///< the queue that they are attached to
  std::vector<stress_processor> processors;
  std::atomic<bool> stop{false};
};

} // namespace

TEST_F(core_stress_test, the_books_balance_whatever_comes_at_once) {
  {
    caf::scoped_actor self{engine.system()};
    change(self, queue_changed{polled_queue, {}});
    change(self, queue_changed{attached_queue, {}});
    attach_processors(self, 3);
  }
  std::vector<std::thread> crowd;
  for (unsigned i = 1; i <= 4; ++i) {
    crowd.emplace_back([this, i] { produce(i); });
    crowd.emplace_back([this, i] { work(100 + i); });
  }
  crowd.emplace_back([this] { operate(201); });
  crowd.emplace_back([this] { operate(202); });
  std::this_thread::sleep_for(hammering_time()); // sleeps: the time to hammer
  EXPECT_TRUE(enough_was_accepted());
  stop = true;
  for (auto& x : crowd)
    x.join();
  {
    caf::scoped_actor self{engine.system()};
    reset(self);
    must<done>(self, release_queue{polled_queue});
    EXPECT_TRUE(processors_are_done());
    EXPECT_EQ(counted(self, attached_queue).items, 0u);
    for (const auto& x : processors)
      self->send_exit(x, caf::exit_reason::user_shutdown);
    // Half a book now, the rest after everything was read back.
    const auto before = counted(self).items;
    EXPECT_EQ(before, all.accepted.size() - all.ended.size());
    EXPECT_EQ(counted(self).claims, 0u);
  }
  const auto left = all.accepted.size() - all.ended.size();
  // Recovery runs beside the nodes that it spawns.
  for (auto restarts = 0; restarts < 5; ++restarts) {
    engine.restart();
    caf::scoped_actor self{engine.system()};
    EXPECT_EQ(counted(self).items, left);
  }
  {
    caf::scoped_actor self{engine.system()};
    EXPECT_TRUE(empty(self));
    EXPECT_EQ(counted(self).claims, 0u);
    const auto queues = engine.ask<queues_listed>(self, list_queues{});
    ASSERT_TRUE(queues);
    for (const auto& x : queues->queues) {
      EXPECT_EQ(x.ready, 0u) << x.name;
      EXPECT_EQ(x.in_flight, 0u) << x.name;
    }
  }
  EXPECT_EQ(all.ended.size(), all.accepted.size());
  EXPECT_EQ(std::set<item_id>(all.ended.begin(), all.ended.end()),
            all.accepted);
  EXPECT_GT(all.accepted.size(), accepted_min);
  EXPECT_EQ(std::set<item_id>(of_processors.ended.begin(),
                              of_processors.ended.end()),
            of_processors.accepted);
  EXPECT_EQ(of_processors.ended.size(), of_processors.accepted.size());
  for (const auto* x : {&all, &of_processors})
    for (const auto& surprise : x->surprises)
      ADD_FAILURE() << surprise;
}

} // namespace depositd
