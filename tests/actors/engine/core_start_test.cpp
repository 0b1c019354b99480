// What a start ends, and when who had it hears of that.

#include "actors/rules/control/control.hpp"
#include "messages/cluster.hpp"
#include "messages/receiving.hpp"
#include "tests/support/watched_engine.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace depositd {

namespace {

using namespace std::chrono_literals;

/// Of a queue where each attempt is the last.
class core_start_test : public testing::watching<testing::engine_fixture> {
protected:
  void SetUp() override {
    start();
    queue_settings settings;
    settings.attempts_max = 1;
    ASSERT_TRUE(change({queue_changed{"q", settings}}));
    put("q", items_of("ann", 1));
    sp = attach_to("q");
    want(sp, 1);
    ASSERT_EQ(sp.got->items.size(), 1u);
    x = sp.got->items[0];
    crash();
    fail_appends(*log, 1);
    start(); // and over again: the end of the claim was not written
  }

  /// Calls `look` once, while the end of the claim is on its way to the disk.
  void while_it_is_written(
    const std::function<void(const queue_port_actor&)>& look) {
    bool looked = false;
    disk->during_append = [&] {
      if (std::exchange(looked, true))
        return;
      const auto port = ask<queue_port_actor>(door, open_queue{"q"});
      ASSERT_TRUE(port);
      look(*port);
    };
    advance(1s);
    disk->during_append = [] {};
    EXPECT_TRUE(looked);
  }

  testing::test_processor sp;
  claimed_item x; ///< that it had
};

TEST_F(core_start_test, calls_no_claim_ended_before_that_is_durable) {
  std::vector<std::uint32_t> told;
  std::function<void()> hear;
  while_it_is_written([&](const queue_port_actor& port) {
    auto again = self->request(
      port, caf::infinite,
      attach{sp.actor, "sp", {}, 60'000, {{x.id, x.token, x.user}}});
    settle();
    EXPECT_FALSE(self->has_next_message()) << "told what is not written";
    hear = [&told, again = again]() mutable {
      again.receive([&](const attached& is) { told = is.members; },
                    [](const caf::error& why) { FAIL() << render(why); });
    };
  });
  hear();
  EXPECT_EQ(told, (std::vector<std::uint32_t>{no_member}));
}

TEST_F(core_start_test, refuses_no_outcome_before_what_ended_it_is_durable) {
  while_it_is_written([&](const queue_port_actor& port) {
    sp.door = port;
    const auto is = ask<attached>(port, attach{sp.actor, "sp", {}, 0, {}});
    ASSERT_TRUE(is);
    sp.number = is->processor;
    end(sp, x);
    EXPECT_TRUE(sp.got->settled.empty()) << "told what is not written";
  });
  ASSERT_EQ(sp.got->settled.size(), 1u);
  EXPECT_FALSE(sp.got->settled[0].accepted);
}

TEST_F(core_start_test, tells_receiving_doors_of_no_end_before_it_is_durable) {
  caf::message_id asked;
  while_it_is_written([&](const queue_port_actor&) {
    settle_items what{"q", {}};
    what.items.push_back({.name = {x.id, digest_of_user(x.user)}});
    asked = testing::ask_whole(
      self, caf::actor_cast<caf::strong_actor_ptr>(core),
      caf::make_message(std::move(what)));
    settle();
    EXPECT_FALSE(self->has_next_message()) << "told what is not written";
  });
  ASSERT_TRUE(self->has_next_message());
  const auto told =
    testing::unwrap<items_settled>(testing::take_whole(self, asked));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->accepted, std::vector<std::uint8_t>{0});
}

class core_ready_test : public testing::watching<testing::engine_fixture> {
protected:
  void SetUp() override {
    start();
    ASSERT_TRUE(change({queue_changed{"q", {}}}));
    fail_appends(*log, 1);
    EXPECT_FALSE(ask<enqueued>(door, enqueue{"q", items_of("ann", 1)}));
    asked = testing::ask_whole(self,
                               caf::actor_cast<caf::strong_actor_ptr>(core),
                               caf::make_message(await_ready{}));
    settle();
    EXPECT_FALSE(self->has_next_message()) << "it recovers yet";
  }

  caf::expected<done> told() {
    if (!self->has_next_message())
      return caf::make_error(caf::sec::request_timeout);
    return testing::unwrap<done>(testing::take_whole(self, asked));
  }

  caf::message_id asked;
};

TEST_F(core_ready_test, is_said_when_it_has_recovered) {
  advance(1s);
  EXPECT_TRUE(told());
}

TEST_F(core_ready_test, is_refused_with_the_reason_when_it_cannot_recover) {
  caf::anon_send_exit(read_model, caf::exit_reason::kill);
  settle();
  advance(1s);
  EXPECT_EQ(told().error(), caf::sec::request_receiver_down);
}

TEST_F(core_ready_test, is_refused_when_it_ends_before) {
  EXPECT_TRUE(ask<done>(core, drain{}));
  EXPECT_EQ(told().error(), ec::draining);
}

TEST_F(core_ready_test, is_refused_when_it_ends_while_the_store_is_read) {
  disk->before_read = [this] {
    caf::anon_send(core, drain{});
    return caf::error{};
  };
  advance(1s);
  EXPECT_EQ(told().error(), ec::draining);
  EXPECT_EQ(ask<enqueued>(door, enqueue{"q", items_of("ann", 1)}).error(),
            ec::draining)
    << "the next engine's";
}

/// A shard beside the first, which has the newest settings.
class second_shard : public testing::engine_fixture {
protected:
  void SetUp() override {
    control_state settings;
    rules::apply(settings, queue_changed{"q", {}});
    newest.state = std::make_shared<const control_state>(std::move(settings));
    newest.revision = 5;
    const auto router = spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](fetch_newest) {
        ++asked;
        return newest;
      }};
    });
    store = open_journal();
    engine::core_options options;
    options.shard = 1;
    options.shards = 2;
    options.router = caf::actor_cast<shard_router_actor>(router);
    options.journal = store.get();
    options.projection = tables.get();
    options.blobs = blobs.get();
    options.registry = registry.get();
    options.threads = false;
    options.clock = engine_clock{time_us, sched.clock().now()};
    options.budget = std::make_shared<memory_budget>(body_budget);
    const auto actors = engine::spawn_core(sys, std::move(options));
    for (const auto& [name, who] : actors.all())
      adopt(who);
    core = actors.shard;
    settle();
  }

  caf::expected<enqueued> enqueue_one() {
    return ask<enqueued>(core, enqueue{"q", items_of("ann", 1)});
  }

  control_changed newest;
  int asked = 0;
};

TEST_F(second_shard, does_not_serve_by_settings_older_than_it_has_known) {
  ASSERT_TRUE(enqueue_one());
  EXPECT_EQ(asked, 1);
  fail_appends(*log, 1);
  EXPECT_FALSE(enqueue_one());
  newest.revision = 4; // of an owner of before
  advance(1s);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(enqueue_one().error(), ec::store_failed) << "it recovers yet";
  newest.revision = 5;
  advance(200ms);
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(enqueue_one());
}

} // namespace
} // namespace depositd
