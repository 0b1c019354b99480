// A core that ends while its shard is still busy: whoever closes the stores
// afterwards must be able to rely on it.

#include "actors/engine/core.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "adapters/stores/memory/memory_journal_store.hpp"
#include "messages/message_types.hpp"
#include "messages/shard.hpp"
#include "tests/support/few_threads.hpp"
#include "tests/support/memory_tables.hpp"
#include "tests/support/watched_journal.hpp"

#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <system_error>

namespace depositd {

namespace {

using namespace std::chrono_literals;

/// A disk on which a look at the room that is left takes its time, and who
/// looks at it after it was closed.
class slow_disk {
public:
  /// Whoever asks stays until the store is closed under them, or until nobody
  /// has done that for a second.
  bool nearly_full() {
    std::unique_lock guard{lock_};
    if (!slow_)
      return false;
    asked_.set_value();
    slow_ = false;
    changed_.wait_for(guard, 1s, [this] { return closed_; });
    used_closed_ = used_closed_ || closed_;
    return false;
  }

  std::future<void> slow_down() {
    const std::lock_guard guard{lock_};
    slow_ = true;
    return asked_.get_future();
  }

  void close() {
    const std::lock_guard guard{lock_};
    closed_ = true;
    changed_.notify_all();
  }

  void use() {
    const std::lock_guard guard{lock_};
    used_closed_ = used_closed_ || closed_;
  }

  bool was_used_closed() {
    const std::lock_guard guard{lock_};
    return used_closed_;
  }

private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::promise<void> asked_;
  bool slow_ = false;
  bool closed_ = false;
  bool used_closed_ = false;
};

class system_config : public caf::actor_system_config {
public:
  system_config() {
    add_depositd_messages(*this);
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
  }
};

/// A core on stores in memory, and a system with real threads.
class end_core_test : public ::testing::Test {
protected:
  end_core_test() {
    options.journal = &store;
    options.projection = tables.get();
    options.blobs = blobs.get();
    options.registry = registry.get();
    options.budget = std::make_shared<memory_budget>(1 << 20);
  }

  testing::watched_journal store{
    open_memory_journal(make_memory_journal({.segment_bytes = 1 << 20}))};
  const std::unique_ptr<projection_store> tables = make_memory_projection();
  const std::unique_ptr<blob_store> blobs = make_memory_blobs();
  const std::unique_ptr<doi_registry> registry = make_memory_registry();
  system_config config;
  caf::actor_system system{config};
  depositd::engine::core_options options;
};

TEST_F(end_core_test, waits_for_a_shard_that_is_still_looking_at_the_store) {
  slow_disk disk;
  store.ask_room = [&] { return disk.nearly_full(); };
  store.during_append = [&] { disk.use(); };
  const auto core = depositd::engine::spawn_core(system, options);
  caf::scoped_actor self{system};
  bool ready = false;
  self->request(core.shard, 30s, await_ready{})
    .receive([&](const done&) { ready = true; },
             [](const caf::error& why) { ADD_FAILURE() << render(why); });
  ASSERT_TRUE(ready);

  auto asked = disk.slow_down();
  caf::anon_send(core.shard, enqueue{"q", {{"ann", 0, "late"}}});
  ASSERT_EQ(asked.wait_for(30s), std::future_status::ready);
  depositd::engine::end_core(system, core);
  disk.close();
  // What the shard still does it does before it is gone.
  self->wait_for(core.shard);
  EXPECT_FALSE(disk.was_used_closed());
  caf::anon_send_exit(core.journal, caf::exit_reason::kill);
}

TEST_F(end_core_test, there_is_nothing_to_end_if_threads_are_short) {
  const auto before = system.registry().running();
  for (int few = 0; few < 3; ++few) {
    const testing::few_threads left{few};
    EXPECT_THROW(depositd::engine::spawn_core(system, options),
                 std::system_error);
    EXPECT_EQ(system.registry().running(), before) << few;
  }
  system.await_actors_before_shutdown(!HasFailure());
}

} // namespace

} // namespace depositd
