#pragma once

// The engine's side of calls from joined nodes: makes them on the real stores.

#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/doi_registry.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace depositd::node {

/// The stores that joined nodes reach. One call at a time; blocks on I/O.
class effects_desk {
public:
  effects_desk(std::shared_ptr<blob_store> blobs,
               std::shared_ptr<doi_registry> registry);

  /// The bytes of the result, or the port's own error. `ec::not_found` if
  /// there is no such call, `ec::malformed` if its arguments are none.
  caf::expected<std::string> perform(const std::string& what,
                                     const std::string& arguments);

private:
  caf::expected<std::string> piece_of_blob(const std::string& arguments);
  caf::expected<std::string> list_blobs(const std::string& arguments);
  caf::expected<std::string> remove_blobs(const std::string& arguments);
  caf::expected<std::string> record_dois(const std::string& arguments);
  caf::expected<std::string> find_dois(const std::string& arguments);

  std::shared_ptr<blob_store> blobs_;
  std::shared_ptr<doi_registry> registry_;
  /// The blob that a reader is in the middle of.
  std::string blob_name_;
  std::string blob_bytes_;
};

/// Makes calls on a thread of its own; spawn it detached.
effects_actor::behavior_type
effects_worker(effects_actor::pointer self,
               std::shared_ptr<effects_desk> desk);

struct effects_options {
  /// Spawns a worker, detached. Called `workers` times.
  std::function<effects_actor()> spawn_worker;
  std::size_t workers = 2;
};

struct effects_state {
  std::vector<effects_actor> workers;

  /// Ends the workers.
  ~effects_state();
};

/// What joined nodes get: passes each call on to one of its workers, calls for
/// the same thing to the same one.
effects_actor::behavior_type
effects(effects_actor::stateful_pointer<effects_state> self,
        effects_options options);

} // namespace depositd::node
