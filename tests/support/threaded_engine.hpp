#pragma once

// The engine's core on real threads and a real journal, without doors: what
// the deterministic scheduler cannot show.

#include "actors/engine/core.hpp"
#include "actors/shard/shard.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "adapters/stores/segments/segments.hpp"
#include "messages/message_types.hpp"
#include "messages/shard.hpp"
#include "tests/support/loops_of_test.hpp"
#include "tests/support/memory_tables.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

namespace depositd::testing {

/// Many threads, short turns: as many orders of events as there may be. Or one
/// thread that writes small groups itself.
struct threaded_config : caf::actor_system_config {
  threaded_config() {
    add_depositd_messages(*this);
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{4});
    set("scheduler.max-throughput", std::size_t{8});
    if (in_actor_loop())
      kit::run_actors_in_loop(*this);
  }
};

/// Actors and stores as the program wires them, on disk but for the tables.
class threaded_engine {
public:
  /// Throws if it cannot start.
  explicit threaded_engine(std::filesystem::path folder)
    : folder_(std::move(folder)) {
    begin();
  }

  ~threaded_engine() {
    end();
  }

  threaded_engine(const threaded_engine&) = delete;
  threaded_engine& operator=(const threaded_engine&) = delete;

  /// Everything in memory is gone; the stores stay.
  void restart() {
    end();
    begin();
  }

  template <class T, class Message>
  caf::expected<T> ask(caf::scoped_actor& self, Message message) const {
    caf::expected<T> out{caf::make_error(caf::sec::request_timeout)};
    self->request(core, std::chrono::seconds{30}, std::move(message))
      .receive([&](T& x) { out = std::move(x); },
               [&](caf::error& why) { out = std::move(why); });
    return out;
  }

  caf::actor_system& system() {
    return *system_;
  }

  shard_actor core;

private:
  void open_log() {
    segments_options files;
    files.folder = folder_;
    files.segment_bytes = 256 * 1024;
    auto opened = open_segments(files);
    if (!opened)
      throw std::runtime_error(render(opened.error()));
    log_ = std::move(*opened);
  }

  void begin() {
    open_log();
    system_ = std::make_unique<caf::actor_system>(config_);
    depositd::engine::core_options options;
    options.journal = log_.get();
    options.projection = tables_.get();
    options.blobs = blobs_.get();
    options.registry = registry_.get();
    options.budget = std::make_shared<memory_budget>(16 * 1024);
    options.group_bytes_max = 32 * 1024;
    options.small_groups_near = in_actor_loop();
    options.disk_spare_bytes = 256 * 1024; // relocate early
    actors_ = depositd::engine::spawn_core(*system_, options);
    core = actors_.shard;
    caf::scoped_actor self{*system_};
    const auto ready = ask<done>(self, await_ready{});
    if (!ready)
      throw std::runtime_error(render(ready.error()));
  }

  void end() {
    core = nullptr;
    caf::scoped_actor self{*system_};
    if (actors_.shard)
      self->send_exit(actors_.shard, caf::exit_reason::user_shutdown);
    depositd::engine::end_core(*system_, std::exchange(actors_, {}));
    self->await_all_other_actors_done();
    log_.reset();
  }

  std::filesystem::path folder_;
  std::unique_ptr<journal_store> log_;
  std::unique_ptr<projection_store> tables_ = make_memory_projection();
  std::shared_ptr<blob_store> blobs_ = make_memory_blobs();
  std::shared_ptr<doi_registry> registry_ = make_memory_registry();
  threaded_config config_;
  std::unique_ptr<caf::actor_system> system_;
  depositd::engine::core_actors actors_;
};

} // namespace depositd::testing
