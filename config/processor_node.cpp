#include "config/processor_node.hpp"

#include "actors/processors/manager.hpp"
#include "adapters/node/joiner.hpp"
#include "adapters/node/store_client.hpp"
#include "config/handlers.hpp"
#include "config/node_name.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include <atomic>

namespace depositd {

processor_node::processor_node(caf::actor_system& system,
                               const depositd_settings& settings,
                               caf::io::middleman_actor middleman,
                               const endpoint& engine,
                               std::function<void(const std::string&)> ready)
  : system_(system), settings_(settings), middleman_(std::move(middleman)),
    name_(node_name(settings)),
    line_(std::make_shared<node::store_line>(system)) {
  spawn_manager();
  spawn_joiner(engine, std::move(ready));
}

processor_node::~processor_node() = default;

void processor_node::spawn_manager() {
  processors::processor_node_options node;
  node.name = name_;
  node.slots_default = settings_.processors.count;
  if (settings_.processors.count_given)
    node.slots = settings_.processors.count;
  processors::processor_manager_options options;
  options.spawn_handler
    = [spawn = handlers_of(system_, settings_, node::remote_blobs(line_),
                           node::remote_registry(line_))] { return spawn(1); };
  options.node = std::move(node);
  manager_ = system_.spawn(processors::processor_manager, std::move(options));
}

void processor_node::spawn_joiner(
  const endpoint& engine, std::function<void(const std::string&)> ready) {
  node::joiner_options options;
  options.engine = engine;
  options.middleman = middleman_;
  options.introduction = {name_, manager_};
  const auto manager = caf::actor_cast<caf::actor>(manager_);
  const auto line = "ready joined=" + to_string(engine) + " name=" + name_;
  auto told = std::make_shared<std::atomic<bool>>(false);
  options.joined = [=, stores = line_](const node_joined& x) {
    stores->connect(x.stores);
    caf::anon_send(
      manager, meet_shard{caf::actor_cast<caf::strong_actor_ptr>(x.shard)});
    if (!told->exchange(true))
      ready(line);
  };
  options.lost = [=, stores = line_] {
    stores->disconnect();
    caf::anon_send(manager, meet_shard{});
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
  self->send_exit(joiner_, caf::exit_reason::kill);
  self->send_exit(manager_, caf::exit_reason::kill);
}

} // namespace depositd
