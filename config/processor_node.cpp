#include "config/processor_node.hpp"

#include "actors/processors/manager.hpp"
#include "adapters/minters/http_minter.hpp"
#include "adapters/node/joiner.hpp"
#include "adapters/node/store_client.hpp"
#include "config/aptrust.hpp"
#include "config/draining.hpp"
#include "config/handlers.hpp"
#include "config/node_name.hpp"
#include "config/process_memory.hpp"
#include "config/stage_tools.hpp"
#include "config/work_folder.hpp"

#include <caf/event_based_actor.hpp>
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
    line_(std::make_shared<node::store_line>(system)),
    folder_(std::make_shared<work_folder_proof>(settings)) {
  spawn_manager();
  spawn_joiner(engine, std::move(ready));
}

processor_node::~processor_node() = default;

namespace {

/// Identifiers of one kind come out of one file, which is the engine's.
std::shared_ptr<minter>
minter_of(const depositd_settings& settings,
          const std::shared_ptr<node::store_line>& line) {
  if (settings.minter.kind == minter_kind::http)
    return make_http_minter({.url = settings.minter.url});
  return node::remote_minter(line);
}

} // namespace

void processor_node::spawn_manager() {
  processors::processor_node_options node;
  node.name = name_;
  node.slots_default = settings_.processors.count;
  if (settings_.processors.count_given)
    node.slots = settings_.processors.count;
  processors::processor_manager_options options;
  options.called = name_;
  options.spawn_handler =
    handlers_of(system_, settings_, node::remote_blobs(line_),
                node::remote_registry(line_), stores_are::elsewhere,
                std::make_shared<memory_budget>(
                  budget_of(settings_.memory, find_memory_limits())))
      .spawn;
  options.node = std::move(node);
  auto tools = open_node_tools(settings_, {node::remote_blobs(line_),
                                           node::remote_inventory(line_),
                                           minter_of(settings_, line_)},
                               cut_);
  auto profiles = open_profiles(settings_);
  if (tools && !profiles)
    tools = std::move(profiles.error());
  if (tools) {
    options.has_storage = !(*tools)->storage.empty();
    options.has_work_folder = [folder = folder_] { return folder->holds(); };
    auto made = stage_handlers_of(system_, settings_, *tools,
                                  std::move(*profiles), cut_,
                                  std::make_shared<public_address>(settings_));
    options.spawn_stage_handler = std::move(made.spawn);
    options.stage_begun = std::move(made.begun);
  } else {
    spdlog::warn("node_runs_no_stages reason=\"{}\"", render(tools.error()));
  }
  manager_ = system_.spawn(processors::processor_manager, std::move(options));
}

/// The file system may be far away, and hang.
void processor_node::look_at_work_folder() {
  system_.spawn<caf::detached>(
    [folder = folder_,
     manager = caf::actor_cast<caf::actor>(manager_)](caf::event_based_actor*) {
      folder->look();
      caf::anon_send(manager, processors::refill_slots{});
    });
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
  options.joined = [=, this, stores = line_](const node_joined& x) {
    stores->connect(x.stores);
    folder_->expect(x.work_folder_id);
    caf::anon_send(
      manager, meet_shard{caf::actor_cast<caf::strong_actor_ptr>(x.shard)});
    look_at_work_folder();
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

bool processor_node::stop() {
  using namespace std::chrono_literals;
  const std::chrono::milliseconds within{settings_.shutdown.drain_ms};
  auto ended = is_drained(system_, manager_, within);
  if (!ended) {
    cut_->make();
    ended = is_drained(system_, manager_, 5s);
  }
  caf::scoped_actor self{system_};
  line_->close();
  self->send_exit(joiner_, caf::exit_reason::kill);
  self->send_exit(manager_, caf::exit_reason::kill);
  return ended;
}

} // namespace depositd
