#pragma once

#include "actors/rules/ring/draw_weights.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/processors.hpp"
#include "messages/shard.hpp"
#include "messages/values/clock.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace depositd::processors {

/// Asks a slot what it does.
struct report_slot {};

/// Tells a slot to take nothing more; answered when it holds nothing and all
/// that it said of its items is settled.
struct finish_slot {};

/// Where the queue is now. Doors that are known already stay as they are.
struct use_ports {
  ports_opened found;
};

/// To itself: a port refused; try again unless there is another by now.
struct attach_again {
  shard_number shard = 0;
  queue_port_actor queue;
};

/// To its owner: a port does not take the slot, for this reason, and is tried
/// again; without one: it has taken it now.
struct attaching {
  std::string slot; ///< as claims name it
  shard_number shard = 0;
  std::string queue;
  std::string reason;
};

/// Who owns slots.
using slot_owner = caf::typed_actor<caf::reacts_to<attaching>>;

/// To itself: claims under a lease must be extended.
struct renewal_due {};

/// To itself: a handler may have taken too long.
struct look_overdue {};

/// To itself, behind what handlers have said by now.
struct hand_back_ended {};

/// To itself: of several ports one may be silent, and how many users wait
/// behind each may have changed while the handler was busy.
struct look_at_ports {};

struct processor_options {
  std::string node; ///< empty: inside the engine
  std::string name; ///< of the SP
  std::uint32_t slot = 0;
  std::string queue;
  criteria wants;
  ports_opened ports;
  /// The slot's own; each of the two ends with the other.
  handler_actor handler;
  control_snapshot control; ///< until it hears of another
  slot_owner owner; ///< the slot ends with it; may be null
  engine_clock clock = engine_clock::system();
  /// Items that it holds at once.
  std::uint32_t capacity = 1;
  /// Of claims at ports on other nodes: how long they stay in force while
  /// there is no word from here.
  std::uint32_t lease_ms = 60'000;
  /// A handler that has not answered by then counts as a transient failure.
  std::chrono::milliseconds handler_timeout{600'000};
  std::chrono::milliseconds request_timeout{30'000};
  /// Since when its handler has worked on an item; never: that waits for a
  /// thread. Null: it begins with what it is given.
  std::function<micros(item_id)> begun = nullptr;
};

using processor_self = processor_actor::extend<
  caf::replies_to<report_slot>::with<slots_report>,
  caf::replies_to<finish_slot>::with<done>, caf::reacts_to<use_ports>,
  caf::reacts_to<control_changed>, caf::reacts_to<attach_again>,
  caf::reacts_to<renewal_due>, caf::reacts_to<look_at_ports>,
  caf::reacts_to<look_overdue>, caf::reacts_to<hand_back_ended>>;

/// A queue in one shard, seen from the slot.
struct processor_port {
  shard_number shard = 0;
  queue_port_actor queue;    ///< null: gone, the next one is awaited
  std::uint32_t number = 0;  ///< from the queue; 0: not attached yet
  std::uint32_t credit = 0;  ///< items that it was asked for and has not sent
  bool counting = false;     ///< it was asked for its number of users
  bool silent = false;       ///< it does not answer; nobody waits for it
};

/// A claim, from the hand-out until its outcome is settled.
struct held_item {
  shard_number shard = 0;
  std::uint32_t member = 0;
  std::string user;
  micros since_us = never;
  caf::actor_clock::time_point until{}; ///< for the handler
  /// The handler has it. Else it is `ended`.
  bool in_work = true;
  /// The claim is not in force any more: whatever the handler says is dropped.
  bool lost = false;
  /// Kept until the queue has said that it is durable, or of no use.
  outcome ended;
};

using claim_name = std::pair<item_id, claim_token>;

/// What a slot knows of how many users wait behind its ports.
enum class user_numbers : std::uint8_t {
  old,    ///< too old to choose by
  usable, ///< to choose by, not to wait at all ports because of them
  fresh,  ///< counted since the last item
};

struct processor_state {
  using interface = processor_self;

  processor_options options;
  std::vector<processor_port> ports;
  std::set<shard_number> refused; ///< by their ports, as the owner was told
  std::map<claim_name, held_item> held;
  std::uint32_t in_work = 0; ///< of `held`
  rules::draw_weights draw_weights; ///< of several ports: which is asked next
  bool waits_at_all = false; ///< nobody had anything
  user_numbers numbers = user_numbers::old;
  bool recounting = false; ///< the choice waits for them
  caf::actor_clock::time_point asked_at{}; ///< for these or for an item
  std::uint32_t draws = 0; ///< since the ports were asked for their numbers
  caf::actor_clock::time_point counted_at{};
  bool finishing = false;
  bool touching = false; ///< a `renewal_due` is on its way
  bool look_due = false; ///< a `look_at_ports` is on its way
  bool overdue_due = false; ///< a `look_overdue` is on its way
  /// By shard: outcomes of which the port has not been told yet.
  std::map<shard_number, std::vector<outcome>> ended;
  bool hand_back_due = false; ///< a `hand_back_ended` is on its way
  std::vector<caf::typed_response_promise<done>> awaiting_end;

  static inline const char* name = "processor";
};

/// One SP slot, inside the engine or on another node. Outlives the queues it
/// draws from: what it holds, it names when it attaches to the next. Of several
/// ports it draws from each in proportion to the users behind it whom its
/// criteria let it serve and who could be served now
/// (`rules::ring::eligible_users`), so that a user gets as much in a crowded
/// shard as in an empty one.
processor_self::behavior_type processor(actor_with<processor_state>* self,
                                        processor_options options);

} // namespace depositd::processors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::report_slot)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::finish_slot)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::use_ports)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::attach_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::attaching)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::renewal_due)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::look_at_ports)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::look_overdue)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::processors::hand_back_ended)
