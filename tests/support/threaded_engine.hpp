#pragma once

// The engine's core on real threads and a real journal, without doors: what
// the deterministic scheduler cannot show.

#include "actors/body_reader.hpp"
#include "actors/journal.hpp"
#include "actors/projector.hpp"
#include "actors/shard.hpp"
#include "adapters/memory/memory_blob_store.hpp"
#include "adapters/memory/memory_doi_registry.hpp"
#include "adapters/memory/memory_projection_store.hpp"
#include "adapters/segments/segments.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace depositd::testing {

/// Many threads, short turns: as many orders of events as there may be.
struct threaded_config : caf::actor_system_config {
  threaded_config() {
    add_message_types<caf::id_block::depositd>();
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{4});
    set("scheduler.max-throughput", std::size_t{8});
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
    auto reading = system_->spawn<caf::detached>(body_reader, log_.get());
    auto backlog = std::make_shared<journal_backlog>();
    journal_options writing;
    writing.group_bytes_max = 32 * 1024;
    writing.writer = system_->spawn<caf::detached>(
      journal_writer, journal_writer_options{log_.get(), reading, backlog});
    auto forming = system_->spawn(journal, writing);
    projector_options projecting;
    projecting.journal = log_.get();
    projecting.projection = tables_.get();
    projecting.blobs = blobs_.get();
    projecting.registry = registry_.get();
    projecting.disk_spare_bytes = 256 * 1024; // relocate early
    auto read_model = system_->spawn<caf::detached>(projector, projecting);
    shard_options routing;
    routing.journal = forming;
    routing.projector = read_model;
    routing.epoch = log_->epoch();
    routing.budget = std::make_shared<memory_budget>(16 * 1024);
    routing.backlog = backlog;
    core = system_->spawn(shard, routing);
    const meet_shard met{caf::actor_cast<caf::strong_actor_ptr>(core)};
    caf::anon_send(forming, met);
    caf::anon_send(reading, met);
    for (const auto& x :
         {caf::actor_cast<caf::actor>(core),
          caf::actor_cast<caf::actor>(forming),
          caf::actor_cast<caf::actor>(writing.writer),
          caf::actor_cast<caf::actor>(read_model),
          caf::actor_cast<caf::actor>(reading)})
      actors_.push_back(x);
    caf::scoped_actor self{*system_};
    const auto ready = ask<done>(self, await_ready{});
    if (!ready)
      throw std::runtime_error(render(ready.error()));
  }

  void end() {
    core = nullptr;
    caf::scoped_actor self{*system_};
    for (const auto& x : actors_)
      self->send_exit(x, caf::exit_reason::user_shutdown);
    self->wait_for(actors_);
    actors_.clear();
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
  std::vector<caf::actor> actors_;
};

} // namespace depositd::testing
