#include "actors/engine/core.hpp"

#include "actors/journal/journal.hpp"
#include "actors/projection/projector.hpp"
#include "actors/shard/body_reader.hpp"
#include "actors/shard/shard.hpp"
#include "messages/thread_probe.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

namespace depositd::engine {

namespace {

/// The body reader's, the writer's and the projector's.
constexpr std::size_t threads_of_core = 3;

/// Spawns what blocks on the disk.
template <class F, class... Ts>
auto spawn_blocking(caf::actor_system& system, bool threads, F fun,
                    Ts&&... xs) {
  return threads
           ? system.spawn<caf::detached>(fun, std::forward<Ts>(xs)...)
           : system.spawn(fun, std::forward<Ts>(xs)...);
}

projection::projector_options reading(const core_options& options) {
  projection::projector_options out;
  out.journal = options.journal;
  out.projection = options.projection;
  out.blobs = options.blobs;
  out.registry = options.registry;
  out.data_folder = options.data_folder;
  out.shard = options.shard;
  out.clock = options.clock;
  out.pause = options.project_every;
  out.retention_s = options.retention_s;
  out.wall_us = options.wall_us;
  out.disk_spare_bytes = options.disk_spare_bytes;
  out.published = options.published;
  return out;
}

} // namespace

std::vector<std::pair<const char*, caf::strong_actor_ptr>>
core_actors::all() const {
  const auto pointer
    = [](const auto& x) { return caf::actor_cast<caf::strong_actor_ptr>(x); };
  return {{"journal", pointer(journal)},
          {"journal_writer", pointer(writer)},
          {"body_reader", pointer(bodies)},
          {"projector", pointer(projector)},
          {"shard", pointer(shard)}};
}

core_actors spawn_core(caf::actor_system& system, core_options options) {
  // All of it or nothing: what was begun would keep the stores.
  if (options.threads)
    look_for_threads(threads_of_core);
  core_actors out;
  auto backlog = std::make_shared<journal::journal_backlog>();
  backlog->store = options.journal;
  const auto threads = options.threads;
  const auto bodies =
    spawn_blocking(system, threads, shard::body_reader, options.journal);
  out.bodies = bodies;
  journal::journal_options writing;
  writing.group_bytes_max = options.group_bytes_max;
  writing.writer =
    spawn_blocking(system, threads, journal::journal_writer,
                   journal::journal_writer_options{options.journal, out.bodies,
                                                   backlog, options.registry});
  out.writer = writing.writer;
  if (options.small_groups_near) {
    writing.near =
      system.spawn(journal::journal_writer,
                   journal::journal_writer_options{options.journal, out.bodies,
                                                   backlog, options.registry});
    out.near_writer = writing.near;
  }
  const auto forming = system.spawn(journal::journal, std::move(writing));
  out.journal = forming;
  out.projector =
    spawn_blocking(system, threads, projection::projector, reading(options));
  shard::shard_options routing;
  routing.journal = {out.journal, 0, std::move(backlog)};
  routing.projector = out.projector;
  routing.number = options.shard;
  routing.shards = options.shards;
  routing.router = std::move(options.router);
  routing.epoch = options.journal->epoch();
  routing.clock = options.clock;
  routing.budget = std::move(options.budget);
  routing.slice_items = options.slice_items;
  routing.queues_per_key_max = options.queues_per_key_max;
  routing.queue_idle_max = options.queue_idle_max;
  routing.configuration = std::move(options.configuration);
  routing.pipelines = std::move(options.pipelines);
  routing.sources = std::move(options.sources);
  routing.fairness = std::move(options.fairness);
  routing.new_reference = std::move(options.new_reference);
  out.shard = system.spawn(shard::shard, std::move(routing));
  const meet_shard met{caf::actor_cast<caf::strong_actor_ptr>(out.shard)};
  caf::anon_send(forming, met);
  caf::anon_send(bodies, met);
  return out;
}

void end_core(caf::actor_system& system, const core_actors& core) {
  caf::scoped_actor self{system};
  // Whoever touches the stores must be gone before the stores are; the shard
  // asks one of them whether its disk is full.
  if (core.shard) {
    self->send_exit(core.shard, caf::exit_reason::kill);
    self->wait_for(core.shard);
  }
  for (const auto& who : {caf::actor_cast<caf::actor>(core.projector),
                          caf::actor_cast<caf::actor>(core.bodies),
                          caf::actor_cast<caf::actor>(core.writer),
                          caf::actor_cast<caf::actor>(core.near_writer)})
    if (who) {
      self->send_exit(who, caf::exit_reason::user_shutdown);
      self->wait_for(who);
    }
}

} // namespace depositd::engine
