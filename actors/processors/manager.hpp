#pragma once

#include "actors/processors/processor.hpp"
#include "actors/rules/placement/processors.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/follow_control.hpp"
#include "messages/projection.hpp"
#include "messages/values/trouble.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace depositd::processors {

/// To itself: bring the slots to what the newest control state says.
struct refill_slots {};

/// To itself: look whether ports on other nodes are still the right ones.
struct refresh_ports {};

/// A node that works for an engine elsewhere.
struct processor_node_options {
  std::string name; ///< the same at every reconnect
  /// Slots of each SP; none: as many as the control state says.
  std::optional<std::uint32_t> slots;
  /// Slots of each deposit queue that the engine itself was configured to have
  /// no processors for.
  std::uint32_t slots_default = 4;
};

struct processor_manager_options {
  shard_processors_actor shard;                 ///< null: `meet_shard` tells it
  std::function<handler_actor()> spawn_handler; ///< called for each slot
  /// The same for slots of pipelines' stages; null: none run here.
  std::function<handler_actor(const std::string& queue)> spawn_stage_handler;
  /// As a slot of a stage is told it (`processor_options`).
  std::function<micros(item_id)> stage_begun = nullptr;
  engine_clock clock = engine_clock::system();
  std::chrono::milliseconds request_timeout{30'000};
  std::chrono::milliseconds refresh_every{5'000}; ///< ports elsewhere
  std::optional<processor_node_options> node;     ///< none: inside the engine
  /// Inside one of several engines: its name. They draw from each other's
  /// shards, so claims of their slots must be told apart.
  std::string engine;
  /// What stages call this process that name the nodes which run them.
  std::string called;
  /// What it has for stages that need it, asked whenever slots are filled
  /// (`refill_slots`); null: it has.
  std::function<bool()> has_work_folder;
  bool has_storage = true;
};

/// The slots of one SP.
struct managed_processor {
  rules::placement::placed_processor placed;
  std::vector<processor_self> slots;
};

/// A slot that was told to end and may still hold an item.
struct ending_slot {
  processor_self slot;
  std::string queue;
};

using processor_manager_self = processor_manager_actor::extend<
  caf::reacts_to<refill_slots>, caf::reacts_to<refresh_ports>,
  caf::reacts_to<meet_shard>, caf::reacts_to<control_unknown>,
  caf::reacts_to<attaching>>;

struct processor_manager_state {
  using interface = processor_manager_self;

  processor_manager_options options;
  std::map<std::string, managed_processor> processors;
  std::vector<ending_slot> ending;
  control_snapshot control; ///< the newest; null: not known yet
  caf::actor following;     ///< who tells it
  /// Queues whose ports every slot has been given.
  std::set<std::string> supplied;
  /// Queue by each of its ports, which are watched.
  std::map<caf::actor_addr, std::string> ports;
  bool draining = false;
  bool refill_due = false;  ///< a `refill_slots` is on its way
  bool refresh_due = false; ///< a `refresh_ports` is on its way
  trouble supplying;        ///< what holds up one queue mostly holds up all
  /// Slots that a port of this shard does not take.
  std::set<std::pair<caf::actor_addr, shard_number>> unattached;
  trouble attaching_slots; ///< as of queues

  static inline const char* name = "processor_manager";
};

/// Those of a pipeline's stage are called as its queue, unless an operator has
/// an SP of that name. Keeps as many slots running as the control state says,
/// with ports to their queues. Slots stay, and with them what they hold, when
/// an engine goes.
processor_manager_self::behavior_type
processor_manager(actor_with<processor_manager_state>* self,
                  processor_manager_options options);

} // namespace depositd::processors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::refill_slots)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::refresh_ports)
