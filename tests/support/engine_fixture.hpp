#pragma once

// The engine's core on the deterministic scheduler and stores in memory: the
// same actors as in the program, minus the doors.

#include "actors/engine/core.hpp"
#include "actors/engine/native.hpp"
#include "actors/shard/shard.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "adapters/stores/memory/memory_journal_store.hpp"
#include "messages/operators.hpp"
#include "messages/processors.hpp"
#include "messages/shard.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/memory_tables.hpp"

#include <memory>
#include <string>
#include <vector>

namespace depositd::testing {

/// What a processor under test has received.
struct inbox {
  std::vector<claimed_item> items;
  std::vector<settlement> settled;
  std::vector<item_id> purged;
  std::vector<std::uint32_t> counts; ///< of users who could be served

  std::vector<std::string> users() const {
    std::vector<std::string> out;
    for (const auto& x : items)
      out.push_back(x.user);
    return out;
  }

  std::vector<std::string> bodies() const {
    std::vector<std::string> out;
    for (const auto& x : items)
      out.push_back(x.body);
    return out;
  }
};

/// A processor that only remembers.
inline processor_actor::behavior_type
recording_processor(processor_actor::pointer, std::shared_ptr<inbox> to) {
  return {
    [=](const deliver& x) {
      to->items.insert(to->items.end(), x.items.begin(), x.items.end());
      to->settled.insert(to->settled.end(), x.settled.begin(),
                         x.settled.end());
      to->purged.insert(to->purged.end(), x.purged.begin(), x.purged.end());
      if (x.counted)
        to->counts.push_back(x.eligible);
    },
  };
}

/// A processor with what it has received and its number in the queue.
struct test_processor {
  processor_actor actor;
  queue_port_actor door;
  std::uint32_t number = 0;
  std::shared_ptr<inbox> got = std::make_shared<inbox>();
};

class engine_fixture : public actor_fixture {
protected:
  engine_fixture() {
    configuration.queues.push_back({"metadata", deposit_queue_defaults()});
    configuration.processors_count = 0;
  }

  /// What a test puts between the core and its log.
  virtual std::unique_ptr<journal_store> open_journal() {
    return open_memory_journal(log);
  }

  /// Starts the core on the stores, as a fresh process would.
  void start() {
    store = open_journal();
    depositd::engine::core_options options;
    options.journal = store.get();
    options.projection = tables.get();
    options.blobs = blobs.get();
    options.registry = registry.get();
    options.threads = false;
    options.clock = engine_clock{time_us, sched.clock().now()};
    options.budget = std::make_shared<memory_budget>(body_budget);
    options.configuration = configuration;
    options.pipelines = pipelines;
    options.sources = sources;
    options.fairness = fairness;
    options.disk_spare_bytes = disk_spare_bytes;
    options.published = published;
    options.retention_s = retention_s;
    options.wall_us = wall_us;
    options.slice_items = slice_items;
    options.queues_per_key_max = queues_per_key_max;
    options.queue_idle_max = queue_idle_max;
    const auto actors = depositd::engine::spawn_core(sys, options);
    for (const auto& [name, who] : actors.all())
      adopt(who);
    settle();
    reader = actors.bodies;
    writer = actors.journal;
    read_model = actors.projector;
    core = actors.shard;
    door = spawn(depositd::engine::native,
                 depositd::engine::native_options{
                   core, std::make_shared<depositd::engine::grants>(
                           rules::access::own_people{})});
    settle();
  }

  /// Everything in memory is gone at once, as after a kill.
  void crash() {
    for (const auto& x :
         {caf::actor_cast<caf::actor>(core), caf::actor_cast<caf::actor>(door),
          caf::actor_cast<caf::actor>(read_model),
          caf::actor_cast<caf::actor>(writer),
          caf::actor_cast<caf::actor>(reader)})
      caf::anon_send_exit(x, caf::exit_reason::kill);
    settle();
  }

  std::vector<item_id> put(const std::string& queue,
                           const std::vector<new_item>& items) {
    auto reply = ask<enqueued>(door, enqueue{queue, items});
    EXPECT_TRUE(reply) << (reply ? "" : render(reply.error()));
    return reply ? reply->ids : std::vector<item_id>{};
  }

  /// `count` items of a user, with bodies "user-1", "user-2", ...
  static std::vector<new_item> items_of(const std::string& user, int count) {
    std::vector<new_item> out;
    for (int i = 1; i <= count; ++i)
      out.push_back({user, 0, user + "-" + std::to_string(i)});
    return out;
  }

  test_processor attach_to(const std::string& queue, criteria wants = {},
                           std::uint32_t lease_ms = 0) {
    test_processor out;
    out.actor = spawn(recording_processor, out.got);
    auto found = ask<queue_port_actor>(door, open_queue{queue});
    EXPECT_TRUE(found);
    out.door = *found;
    auto reply
      = ask<attached>(out.door, attach{out.actor, "sp", wants, lease_ms});
    EXPECT_TRUE(reply) << (reply ? "" : render(reply.error()));
    out.number = reply ? reply->processor : 0;
    return out;
  }

  void want(const test_processor& who, std::uint32_t credit) {
    caf::anon_send(who.door, settle_and_request{who.number, credit, {}});
    settle();
  }

  static outcome outcome_of(const claimed_item& item,
                            verdict says = verdict::done) {
    outcome out;
    out.id = item.id;
    out.token = item.token;
    out.member = item.member;
    out.says = says;
    return out;
  }

  void end(const test_processor& who, const claimed_item& item,
           verdict says = verdict::done, std::uint32_t credit = 0) {
    caf::anon_send(who.door, settle_and_request{
                               who.number, credit, {outcome_of(item, says)}});
    settle();
  }

  caf::expected<done> change(std::vector<event> changes) {
    return ask<done>(core, propose{std::move(changes)});
  }

  queue_report report_of(const std::string& queue) {
    auto all = ask<queues_listed>(core, list_queues{});
    EXPECT_TRUE(all);
    for (const auto& x : all->queues)
      if (x.name == queue)
        return x;
    ADD_FAILURE() << "no queue " << queue;
    return {};
  }

  // Stores outlive the actors and every restart.
  std::shared_ptr<memory_journal> log =
    make_memory_journal({.segment_bytes = 2048});
  std::unique_ptr<journal_store> store;
  std::unique_ptr<projection_store> tables = make_memory_projection();
  std::shared_ptr<blob_store> blobs = make_memory_blobs();
  std::shared_ptr<doi_registry> registry = make_memory_registry();

  // What a test may choose before `start`.
  configuration_seen configuration;
  pipelines_seen pipelines;
  sources_seen sources;
  fairness_seen fairness;
  std::uint64_t body_budget = 1 << 20;
  std::uint64_t disk_spare_bytes = 1 << 20;
  std::uint32_t slice_items = 1000;
  std::uint32_t queues_per_key_max = no_cap;
  std::chrono::seconds queue_idle_max{0};
  bool published = false; ///< somebody publishes the journal
  std::int64_t retention_s = 365LL * 24 * 3600;
  std::function<micros()> wall_us;
  micros time_us = 1'700'000'000'000'000;

  body_reader_actor reader;
  journal_actor writer;
  projector_actor read_model;
  shard_actor core;
  native_actor door;
};

} // namespace depositd::testing
