// Shards that cannot be opened whole, as there are too few threads: nothing of
// them may stay, for it would use stores that are gone.

#include "config/core_factory.hpp"

#include "actors/cluster/router/shard_router.hpp"
#include "messages/message_types.hpp"
#include "messages/shard.hpp"
#include "tests/config/read_settings.hpp"
#include "tests/support/few_threads.hpp"
#include "tests/support/temporary_folder.hpp"

#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

namespace depositd {

namespace {

using namespace std::chrono_literals;

/// Takes nothing.
class deaf_sink : public span_sink {
public:
  void offer(std::vector<span>) override {
    // nop
  }

  std::uint64_t dropped() const override {
    return 0;
  }
};

class system_config : public caf::actor_system_config {
public:
  system_config() {
    add_depositd_messages(*this);
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
  }
};

class core_factory_test : public ::testing::Test {
protected:
  core_factory_test() {
    auto opened = open_shared_stores(settings, [] { return false; });
    EXPECT_TRUE(opened) << render(opened.error());
    if (!opened)
      return;
    durable = std::move(*opened);
    shared_shards_options options{settings, durable};
    options.budget = std::make_shared<memory_budget>(1 << 20);
    options.spans = std::make_shared<deaf_sink>();
    cluster::forwarding_options to;
    to.count = settings.shards.count;
    router = system.spawn(cluster::shard_router,
                          cluster::shard_router_options{to});
    factory.emplace(system, options, router);
  }

  ~core_factory_test() override {
    caf::scoped_actor self{system};
    self->send_exit(router, caf::exit_reason::kill);
    system.await_actors_before_shutdown(!HasFailure());
  }

  /// Opens a shard, and closes it again. The error is that of the first.
  caf::error open_with(int threads) {
    const testing::few_threads left{threads};
    auto opened = factory->open(1, 0);
    if (!opened)
      return std::move(opened.error());
    opened->close();
    return {};
  }

  /// Whether so many actors run, soon.
  bool comes_to(std::size_t actors) {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (system.registry().running() != actors)
      if (std::chrono::steady_clock::now() > until)
        return false;
      else
        std::this_thread::yield();
    return true;
  }

  /// With brokers that nobody is.
  const temporary_folder folder;
  const depositd_settings settings = testing::settings_of(
    "data: {folder: " + (folder.path() / "data").string()
    + "}\nshards: {count: 2}\nkafka: {brokers: '127.0.0.1:1'}\n");
  stores durable;
  system_config config;
  caf::actor_system system{config};
  shard_router_actor router;
  std::optional<core_factory> factory;
};

TEST_F(core_factory_test, nothing_stays_of_a_shard_that_threads_are_short_for) {
  ASSERT_TRUE(factory);
  const auto before = system.registry().running();
  // One more each time, until there are enough.
  constexpr int plenty = 32;
  int few = 0;
  for (; few < plenty && open_with(few); ++few)
    EXPECT_TRUE(comes_to(before)) << few;
  EXPECT_LT(few, plenty);
  EXPECT_GT(few, 4) << "a core had enough, and so had what comes after it";
  EXPECT_TRUE(comes_to(before));
}

} // namespace

} // namespace depositd
