#pragma once

// What doors, operators' settings and the engine itself ask of a shard.

#include "messages/actors.hpp"
#include "messages/message.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/control.hpp"
#include "messages/values/events.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/types.hpp"
#include "messages/work.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

// -- items and deposits -------------------------------------------------------

/// Items for one queue, of any users. At most `enqueue_items_max` in all.
struct enqueue {
  struct more {
    std::string queue;
    std::vector<new_item> items;
  };
  std::string queue;
  std::vector<new_item> items;
  /// A shard takes all that it gets of it or nothing; all are of one user.
  bool whole = false;
  std::vector<more> also = {}; ///< for other queues; only of one that is whole
};
inline constexpr std::size_t enqueue_items_max = 10'000;
DEPOSITD_FIELDS(enqueue::more, queue, items);
DEPOSITD_MESSAGE(0, enqueue, queue, items, whole, also);

/// All accepted items are durable. `ids` answers `items`, and behind them those
/// for other queues, by position; 0 means that this one was refused because of
/// what the user may have pending.
struct enqueued {
  std::vector<item_id> ids;
  std::uint32_t refused = 0;
  bool over_bytes = false; ///< refused because of bytes, not of their number
};
DEPOSITD_MESSAGE(1, enqueued, ids, refused, over_bytes);

/// One deposit. What was sent comes along, unless it is large: then it is in
/// the blob store, and durable there. Of a synchronous source it comes claimed,
/// or not at all: the answer is 0 if the user has as many claims as may be, and
/// `ec::overloaded` if nothing of the user is handed out now.
struct submit {
  std::string queue;
  std::string user;
  std::uint8_t priority = 0;
  depositd::submission submission;
  /// At most `inline_submission_bytes_max`; empty: under `submission.blob`.
  std::string body;
};
DEPOSITD_MESSAGE(30, submit, queue, user, priority, submission, body);

/// This number and those behind it, as many as were asked for.
struct id_reserved {
  item_id id = 0;
};
DEPOSITD_MESSAGE(33, id_reserved, id);

/// From a user's actor: numbers for jobs that a batch is split into.
struct number_jobs {
  std::uint32_t count = 1;
};
DEPOSITD_LOCAL(number_jobs);

struct count_pending {
  std::string queue;
  std::string user;
};
DEPOSITD_MESSAGE(34, count_pending, queue, user);

struct pending_counted {
  std::uint64_t pending = 0;
  std::uint64_t limit = 0;
  std::uint32_t running = 0; ///< handed out now
  /// Of these; 0 while the user is handed out nothing, whatever the reason.
  std::uint32_t running_max = no_cap;
  std::uint64_t bytes = 0; ///< of what waits
  std::uint64_t bytes_max = no_size_limit;
};
DEPOSITD_MESSAGE(35, pending_counted, pending, limit, running, running_max,
                 bytes, bytes_max);

// -- queues -------------------------------------------------------------------

/// Asks for the handle of a queue, which comes into being if it is new.
struct open_queue {
  std::string name;
};
DEPOSITD_MESSAGE(2, open_queue, name);

/// Asks for the ports of a queue, which comes into being if it is new.
struct open_ports {
  std::string name;
};
DEPOSITD_MESSAGE(20, open_ports, name);

/// One queue's ports, one for each shard that has a part of it.
struct ports_opened {
  struct port {
    shard_number shard = 0;
    queue_port_actor queue;
  };
  std::vector<port> ports;
};
DEPOSITD_FIELDS(ports_opened::port, shard, queue);
DEPOSITD_MESSAGE(21, ports_opened, ports);

/// Moves what one queue holds now to another, claimed items included; in their
/// order of arrival they stand among what the other has.
/// Answered as soon as it will happen whatever crashes; the control state then
/// says under `reference` how far it is.
struct move_queue {
  std::string from;
  std::string to;
  std::string founder; ///< who asks, if that is a key; see `queue_founded`
};
DEPOSITD_MESSAGE(44, move_queue, from, to, founder);

struct move_begun {
  std::string reference;
};
DEPOSITD_MESSAGE(45, move_begun, reference);

/// Some items of a batch of a moved queue, in their order, for the shard that
/// has the queue they move to. What is at or below the target's watermark of
/// the sender is skipped. All of them and the new watermark become durable in
/// one group.
struct carry_items {
  struct one {
    std::int64_t offset = 0;
    std::string user;
    std::uint8_t priority = 0;
    std::uint64_t size = 0;
    body_kind kind = body_kind::inline_bytes;
    std::string body;
  };
  shard_number from = 0;
  std::string queue;     ///< of kind message
  std::int64_t last = 0; ///< the target's watermark afterwards
  std::vector<one> items;
};
DEPOSITD_FIELDS(carry_items::one, offset, user, priority, size, kind, body);
DEPOSITD_MESSAGE(83, carry_items, from, queue, last, items);

/// They are durable at their target.
struct items_carried {
  std::uint32_t accepted = 0;
  std::uint32_t skipped = 0; ///< had come before
};
DEPOSITD_MESSAGE(84, items_carried, accepted, skipped);

// -- control ------------------------------------------------------------------

/// Control events that an operator wants; each is the whole new value.
struct propose {
  std::vector<event> changes;
};

/// In the journal's own encoding.
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, propose& x) {
  std::vector<std::string> events;
  if constexpr (Inspector::reads_state)
    for (const auto& change : x.changes)
      encode(change, events.emplace_back());
  auto load = [&]() -> caf::error {
    x.changes.clear();
    for (const auto& bytes : events) {
      auto change = decode_event(bytes);
      if (!change)
        return std::move(change.error());
      x.changes.push_back(std::move(*change));
    }
    return caf::none;
  };
  return f(events, caf::meta::load_callback(load));
}
DEPOSITD_NUMBER(26, propose);

/// The newest control state, to whoever watches. `revision` rises with every
/// change, over all owners of shard 0.
struct control_changed {
  control_snapshot state;
  std::uint64_t revision = 0;
};
DEPOSITD_MESSAGE(27, control_changed, state, revision);

/// To a shard that is not shard 0: journal what differs from this state. An
/// older revision than it has seen changes nothing.
struct adopt_control {
  control_snapshot state;
  std::uint64_t revision = 0;
};
DEPOSITD_MESSAGE(28, adopt_control, state, revision);

struct watch_control {
  caf::strong_actor_ptr who; ///< gets `control_changed`; may be null
};
DEPOSITD_MESSAGE(29, watch_control, who);

/// A key is in use. Kept about as exactly as it is told: doors tell it once an
/// hour.
struct note_key_use {
  std::string key; ///< its name
  micros used_us = 0;
};
DEPOSITD_LOCAL(note_key_use);

// -- its life -----------------------------------------------------------------

/// Answered when recovery is over.
struct await_ready {};
DEPOSITD_MESSAGE(55, await_ready);

/// Whether new work would be taken now; the error says why not.
struct check_intake {};
DEPOSITD_MESSAGE(56, check_intake);

struct drain {
  std::uint32_t within_ms = 10'000;
};
DEPOSITD_MESSAGE(57, drain, within_ms);

struct journal_failed {
  caf::error reason;
};
DEPOSITD_LOCAL(journal_failed);

} // namespace depositd
