#include "config/sources.hpp"

#include "adapters/sources/gauges/make_gauge.hpp"
#include "adapters/sources/make_reader.hpp"
#include "config/record_logs.hpp"
#include "messages/shard.hpp"

#include <caf/scoped_actor.hpp>

#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

namespace depositd {

namespace {

/// A reader that is cancelled returns soon. One that does not touches nothing
/// of ours.
constexpr std::chrono::seconds cancel_time{10};

sources::reader_context context_of(const depositd_settings& settings) {
  sources::reader_context out;
  out.body_bytes_max = settings.emodb.message_bytes_max;
  out.kafka = kafka_options_of(settings);
  return out;
}

} // namespace

shard_schedulers spawn_schedulers(caf::actor_system& system,
                                  shard_schedulers_options options) {
  const auto context = context_of(options.settings);
  shard_schedulers out;
  out.running = std::make_shared<sources::running_count>();
  sources::schedulers_options pulling;
  pulling.shards = std::move(options.shards);
  pulling.own = options.core.shard;
  pulling.shard = options.shard;
  pulling.shard_count = options.shard_count;
  pulling.body_bytes_max = context.body_bytes_max;
  pulling.running = out.running;
  pulling.make_reader = [context](const std::string& name,
                                  const source_settings& by) {
    return sources::make_reader(name, by, context);
  };
  pulling.make_gauge = [context](const scheduler_settings& by) {
    return sources::make_gauge(by, context);
  };
  out.actor = system.spawn(sources::schedulers, std::move(pulling));
  return out;
}

void end_schedulers(caf::actor_system& system, const shard_schedulers& x) {
  if (!x.actor)
    return;
  caf::scoped_actor self{system};
  self->send_exit(x.actor, caf::exit_reason::kill);
  self->wait_for(x.actor);
  if (!x.running->wait_for_none(cancel_time))
    spdlog::warn("sources_left_behind reason=\"a reader does not return\"");
}

} // namespace depositd
