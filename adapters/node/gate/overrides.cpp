// CAF 0.17.6 calls these functions of its library through the dynamic linker,
// so functions of the same name in the program come before the library's. There
// is no setting that would do.

#include "adapters/node/gate/overrides.hpp"

#include "adapters/node/gate/peer_table.hpp"

#include <caf/io/basp/routing_table.hpp>
#include <caf/io/basp_broker.hpp>

#include <map>
#include <mutex>
#include <shared_mutex>

#include <dlfcn.h>

namespace depositd::gate {

namespace {

/// By system: the functions below are told nothing else of whom they work for.
struct watched_systems {
  std::shared_mutex guard;
  std::map<const caf::actor_system*, const peer_table*> by;
};

watched_systems& watched() {
  static watched_systems out;
  return out;
}

bool may_forward(const caf::actor_system& system, const caf::node_id& hop) {
  auto& all = watched();
  const std::shared_lock locked{all.guard};
  const auto at = all.by.find(&system);
  return at == all.by.end() || at->second->may_forward(hop);
}

} // namespace

void watch_routes(const caf::actor_system& system, const peer_table* by) {
  auto& all = watched();
  const std::lock_guard locked{all.guard};
  if (by)
    all.by[&system] = by;
  else
    all.by.erase(&system);
}

} // namespace depositd::gate

namespace caf::io {

/// CAF greets each node that it hears of and keeps an actor for it for ever, so
/// that actors can be started from afar. Ours are not.
void basp_broker::learned_new_node(const node_id&) {
  // nop
}

namespace basp {

/// Whoever mentions an actor of a node that we have no connection to becomes
/// the way to it: messages for that node would be its to read.
bool routing_table::add_indirect(const node_id& hop, const node_id& dest) {
  using function = bool (*)(routing_table*, const node_id&, const node_id&);
  static const auto original = reinterpret_cast<function>(
    ::dlsym(RTLD_NEXT, "_ZN3caf2io4basp13routing_table12add_indirectE"
                       "RKNS_7node_idES5_"));
  return depositd::gate::may_forward(parent_->system(), hop) && original
         && original(this, hop, dest);
}

} // namespace basp

} // namespace caf::io
