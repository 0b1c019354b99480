#pragma once

// Where polls wait that found nothing and said for how long they may
// (`wait`). For each queue that somebody waits for, the room is attached to the
// queue as a processor that takes nothing: it hears when somebody there can be
// served, and then the polls ask again. Nobody asks in between.

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/processors.hpp"
#include "messages/receiving.hpp"
#include "messages/shard.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace depositd::emodb {

/// A poll that waits. Its functions are called from the room's thread, and
/// `found` or `failed` once, unless it was `refused`.
struct waiting_poll {
  receive_items what;
  std::chrono::milliseconds wait{0}; ///< from its arrival in the room on
  std::function<void(std::vector<received_item>)> found; ///< perhaps none
  std::function<void(const caf::error&)> failed;
  /// Nobody waits for the answer any more, or nobody should.
  std::function<bool()> over;
  /// Whether whoever asks may have nothing any more; then it has been told.
  std::function<bool()> refused;
};

struct wait_for_items {
  std::shared_ptr<waiting_poll> poll;
};

/// Items that a poll has claimed and nobody got: they are there for others.
struct give_back_items {
  receive_items from; ///< as they were asked for
  std::vector<item_name> names;
};

/// To itself: whose time is over?
struct look_at_waiting {};

/// To itself: ask the queue again.
struct look_at_queue {
  std::string queue;
};

using waiting_room_actor = caf::typed_actor<caf::reacts_to<wait_for_items>,
                                            caf::reacts_to<give_back_items>>;

using waiting_room_self =
  waiting_room_actor::extend<caf::reacts_to<deliver>,
                             caf::reacts_to<control_changed>,
                             caf::reacts_to<look_at_waiting>,
                             caf::reacts_to<look_at_queue>>;

struct waiting_room_options {
  shard_receiving_actor shard;
  /// Polls. When there are more, the taker with the most of them gives one up
  /// for one with fewer; without such a one more are refused.
  std::size_t waiting_max = 10'000;
  std::chrono::milliseconds ask_timeout{5'000};
  std::chrono::milliseconds tick{200}; ///< how exactly times are kept
  /// After a queue that had something gave nothing: others were quicker, or it
  /// gives this key nothing now.
  std::chrono::milliseconds pause{100};
};

/// A queue that somebody waits for.
struct waited_queue {
  struct one {
    std::shared_ptr<waiting_poll> poll;
    std::chrono::steady_clock::time_point until;
    std::uint64_t number = 0; ///< in the order of arrival
  };
  struct port {
    shard_number shard = 0;
    queue_port_actor queue;
    std::uint32_t processor = 0; ///< 0: not attached yet
  };
  std::deque<one> polls; ///< first come, first served
  std::vector<port> ports;
  bool opening = false;
  bool asking = false;  ///< some of them ask the shard, and are not in `polls`
  bool pausing = false; ///< a `look_at_queue` is on its way
};

struct waiting_room_state {
  using interface = waiting_room_self;

  waiting_room_options options;
  control_snapshot control; ///< which queues there are; null: not known yet
  std::map<std::string, waited_queue> queues;
  std::size_t waiting = 0; ///< polls, those that are asking among them
  std::map<std::string, std::size_t> waiting_of; ///< the same by taker
  std::uint64_t arrived = 0;
  bool looking = false;    ///< a `look_at_waiting` is on its way

  static inline const char* name = "waiting_room";
};

/// Has the room give back what was claimed since then. After its lease a claim
/// may be another's, and stays.
void give_back(const waiting_room_actor& room, const receive_items& from,
               const std::vector<received_item>& items,
               std::chrono::steady_clock::time_point since);

waiting_room_self::behavior_type
waiting_room(actor_with<waiting_room_state>* self,
             waiting_room_options options);

} // namespace depositd::emodb

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::emodb::wait_for_items)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::emodb::give_back_items)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::emodb::look_at_waiting)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::emodb::look_at_queue)
