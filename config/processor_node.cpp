#include "config/processor_node.hpp"

#include "actors/processors/manager.hpp"
#include "adapters/node/joiner.hpp"
#include "adapters/node/store_client.hpp"
#include "adapters/node/store_line.hpp"
#include "adapters/processing/crossref/handler_pool.hpp"
#include "config/node_name.hpp"

#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace depositd {

namespace {

/// A handler spends much of its time waiting for the engine's stores.
std::size_t handler_threads(const processor_settings& settings) {
  return std::clamp<std::size_t>(settings.count, 2, 16);
}

} // namespace

processor_node::processor_node(caf::actor_system& system,
                               const depositd_settings& settings,
                               const endpoint& engine,
                               std::function<void(const std::string&)> ready)
  : system_(system),
    settings_(settings),
    name_(node_name(settings)),
    line_(std::make_shared<node::effect_line>(system)) {
  spawn_handler();
  spawn_manager();
  spawn_joiner(engine, std::move(ready));
}

processor_node::~processor_node() = default;

void processor_node::spawn_handler() {
  const auto call = [line = line_](const std::string& what,
                                   const std::string& arguments) {
    return line->call(what, arguments);
  };
  crossref::submission_handler_options work;
  work.blobs = node::remote_blobs(call);
  work.registry = node::remote_registry(call);
  if (!settings_.crossref.schema_folder.empty())
    work.schemas = std::make_shared<crossref::schema_folder>(
      settings_.crossref.schema_folder);
  auto handling
    = std::make_shared<const crossref::submission_handler>(std::move(work));
  crossref::handler_pool_options options;
  options.spawn_worker = [&system = system_, handling] {
    return system.spawn<caf::detached>(crossref::handler_worker, handling);
  };
  options.workers = handler_threads(settings_.processors);
  options.awaits_shard = true;
  options.inject_delay_ms = settings_.processors.inject_delay_ms;
  handler_ = caf::actor_cast<caf::actor>(
    system_.spawn(crossref::handler_pool, std::move(options)));
}

void processor_node::spawn_manager() {
  processors::processor_node_options node;
  node.name = name_;
  node.slots_default = settings_.processors.count;
  if (settings_.processors.count_given)
    node.slots = settings_.processors.count;
  processors::processor_manager_options options;
  options.handler = caf::actor_cast<handler_actor>(handler_);
  options.node = std::move(node);
  manager_ = system_.spawn(processors::processor_manager, std::move(options));
}

void processor_node::spawn_joiner(
  const endpoint& engine, std::function<void(const std::string&)> ready) {
  node::joiner_options options;
  options.engine = engine;
  options.middleman = settings_.node.tls.configured()
                        ? system_.openssl_manager().actor_handle()
                        : system_.middleman().actor_handle();
  options.introduction = {name_, manager_};
  const std::vector<caf::actor> workers{caf::actor_cast<caf::actor>(manager_),
                                        handler_};
  const auto line = "ready joined=" + to_string(engine) + " name=" + name_;
  auto told = std::make_shared<std::atomic<bool>>(false);
  options.joined = [=, effects = line_](const node_joined& x) {
    effects->connect(x.effects);
    const meet_shard met{caf::actor_cast<caf::strong_actor_ptr>(x.shard)};
    for (const auto& who : workers)
      caf::anon_send(who, met);
    if (!told->exchange(true))
      ready(line);
  };
  options.lost = [=, effects = line_] {
    effects->disconnect();
    for (const auto& who : workers)
      caf::anon_send(who, meet_shard{});
  };
  joiner_ = caf::actor_cast<caf::actor>(
    system_.spawn(node::joiner, std::move(options)));
}

void processor_node::stop() {
  const std::chrono::milliseconds within{settings_.shutdown.drain_ms};
  caf::scoped_actor self{system_};
  self->request(manager_, within + std::chrono::seconds{1},
                drain{settings_.shutdown.drain_ms})
    .receive([](const done&) {},
             [](const caf::error& why) {
               spdlog::warn("drain_incomplete reason=\"{}\"", render(why));
             });
  line_->close();
  for (const auto& who :
       {joiner_, caf::actor_cast<caf::actor>(manager_), handler_})
    self->send_exit(who, caf::exit_reason::kill);
}

} // namespace depositd
