#pragma once

// What happened: the only thing that is ever written to the journal. Events
// carry absolute results (the new stamp, attempt, deadline, settings), so
// replay needs no clock and events of different users commute.

#include "messages/types.hpp"

#include <string>
#include <variant>
#include <vector>

namespace depositd {

/// A body came in with an item. In memory the bytes are in `body`; decoded from
/// the journal without bodies, only `place` is set.
struct item_enqueued {
  item_id id = 0;
  std::string queue;
  std::uint8_t priority = 0;
  std::uint64_t size = 0;    ///< what size classes compare, bytes
  micros received_us = 0;
  std::uint64_t digest = 0;  ///< of the payload, in queues that collapse
  body_kind kind = body_kind::inline_bytes;
  std::string body;
  body_place place;          ///< not journalled: known by the reader

  friend bool operator==(const item_enqueued&, const item_enqueued&) = default;
};

/// The item is a deposit with these particulars.
struct submission_received {
  item_id id = 0;
  std::string queue;
  micros received_us = 0;
  submission particulars;

  friend bool operator==(const submission_received&,
                         const submission_received&) = default;
};

/// Lent to a processor, with the place of its user in the ring afterwards.
struct item_claimed {
  item_id id = 0;
  std::string queue;
  claim_token token = 0;
  std::uint32_t attempt = 0;
  micros claimed_us = 0;
  micros deadline_us = never;
  std::uint64_t stamp = 0;   ///< of the user in the ring; 0: as it was
  std::uint32_t credit = 0;  ///< left in this turn
  pick_kind by = pick_kind::round_robin;
  bool local = false;        ///< the processor dies with this engine
  std::string processor;

  friend bool operator==(const item_claimed&, const item_claimed&) = default;
};

struct claim_extended {
  item_id id = 0;
  std::string queue;
  claim_token token = 0;
  micros deadline_us = never;

  friend bool operator==(const claim_extended&, const claim_extended&)
    = default;
};

/// The claim ended and the item is back: pending, or delayed until a time.
struct item_released {
  item_id id = 0;
  std::string queue;
  std::uint32_t attempt = 0;
  micros available_us = never; ///< never: at once
  std::string reason;

  friend bool operator==(const item_released&, const item_released&) = default;
};

/// The item left its queue.
struct item_finished {
  item_id id = 0;
  std::string queue;
  ending how = ending::done;
  micros finished_us = 0;
  std::string reason;
  std::string batch_id;
  std::string document;

  friend bool operator==(const item_finished&, const item_finished&) = default;
};

/// Set aside by an operator, or taken back (`parked` false).
struct item_parked {
  item_id id = 0;
  std::string queue;
  bool parked = true;

  friend bool operator==(const item_parked&, const item_parked&) = default;
};

/// A pinned body was written again, so that its old group can go.
struct body_relocated {
  item_id id = 0;
  std::string queue;
  std::string body;
  body_place place; ///< not journalled: known by the reader

  friend bool operator==(const body_relocated&, const body_relocated&)
    = default;
};

/// A deposit that went past the queue (synchronous door), with its outcome.
struct submission_recorded {
  item_id id = 0;
  std::string queue;
  micros received_us = 0;
  micros finished_us = 0;
  bool failed = false;
  submission particulars;
  std::string batch_id;
  std::string document;

  friend bool operator==(const submission_recorded&,
                         const submission_recorded&) = default;
};

// -- control: what operators set. Each event is the whole new value of its key,
// so a change asked for and a change made are the same thing.

struct queue_changed {
  std::string queue;
  queue_settings settings;

  friend bool operator==(const queue_changed&, const queue_changed&) = default;
};

/// A user's own allocation and concurrency in a queue.
struct user_limits_changed {
  std::string queue;
  std::string user;
  bool has_allocation = false;  ///< false: the queue's default again
  std::uint32_t allocation = 0;
  bool has_concurrency = false; ///< false: the queue's default again
  std::uint32_t concurrency = 0;

  friend bool operator==(const user_limits_changed&,
                         const user_limits_changed&) = default;
};

struct user_standing_changed {
  std::string user;
  bool held = false;
  bool prohibited = false;

  friend bool operator==(const user_standing_changed&,
                         const user_standing_changed&) = default;
};

/// A depositor's credentials. An empty hash means the account is removed.
struct account_changed {
  std::string user;
  std::string password_hash;         ///< Argon2id in its own text form
  std::vector<std::string> prefixes; ///< DOI prefixes; empty: any

  friend bool operator==(const account_changed&, const account_changed&)
    = default;
};

struct processor_changed {
  processor_spec spec;
  bool removed = false;

  friend bool operator==(const processor_changed&, const processor_changed&)
    = default;
};

/// What a polling door's client may do with the queues that match.
enum class queue_right : std::uint8_t { post, poll, get_status, any };

/// `queue|post|NAME`: NAME is a queue or ends in `*`. Names that begin with two
/// underscores are reached only where these are written out (`queue|*|__*`).
struct key_permit {
  queue_right right = queue_right::any;
  std::string queue;

  friend bool operator==(const key_permit&, const key_permit&) = default;
};

/// An API key. It is a user of the queues it sends to, under its name. A key
/// without a digest is removed.
struct key_changed {
  std::string name;             ///< a user name
  std::string digest;           ///< SHA-256 of the key, hexadecimal
  std::vector<key_permit> permits;

  friend bool operator==(const key_changed&, const key_changed&) = default;
};

enum class move_status : std::uint8_t { in_progress, complete, error };

/// A move between queues, by its reference. Kept for some time after its end.
struct move_changed {
  std::string reference;
  std::string from;
  std::string to;
  move_status status = move_status::in_progress;
  micros begun_us = 0;
  bool forgotten = false;
  item_id id_last = 0; ///< what came after this item stays

  friend bool operator==(const move_changed&, const move_changed&) = default;
};

struct server_changed {
  bool suspended = false;          ///< nothing is handed out
  bool drop_folder_polling = true;

  friend bool operator==(const server_changed&, const server_changed&)
    = default;
};

/// The configuration of the last start: a change of it is told from a change by
/// an operator, who wins over a configuration that stayed the same.
struct configuration_seen {
  struct queue {
    std::string name;
    queue_settings settings;

    friend bool operator==(const queue&, const queue&) = default;
  };
  std::vector<queue> queues;
  std::uint32_t processors_count = 0;
  std::vector<std::string> prohibited_users;

  friend bool operator==(const configuration_seen&, const configuration_seen&)
    = default;
};

/// The item is in another queue from now on: pending there, without a claim,
/// never handed out. It keeps its id, its body and its place in time.
struct item_moved {
  item_id id = 0;
  std::string queue; ///< that it left
  std::string to;
  micros moved_us = 0;

  friend bool operator==(const item_moved&, const item_moved&) = default;
};

/// A record of an ingress partition that is no deposit, as it was.
struct record_rejected {
  std::string partition; ///< "topic/number"
  std::int64_t offset = 0;
  std::string reason;
  std::string key;
  std::string value;

  friend bool operator==(const record_rejected&, const record_rejected&)
    = default;
};

/// The order is the journal's: append new kinds at the end, never reorder.
using event
  = std::variant<item_enqueued, submission_received, item_claimed,
                 claim_extended, item_released, item_finished, item_parked,
                 body_relocated, submission_recorded, queue_changed,
                 user_limits_changed, user_standing_changed, account_changed,
                 processor_changed, server_changed, configuration_seen,
                 key_changed, move_changed, item_moved, record_rejected>;

/// All events of one command, appended and recovered as a whole. `user` is the
/// user whose node decided them, empty for control.
struct record {
  std::string user;
  std::vector<event> events;

  friend bool operator==(const record&, const record&) = default;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, submission_received& x) {
  return f(x.id, x.queue, x.received_us, x.particulars);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item_claimed& x) {
  return f(x.id, x.queue, x.token, x.attempt, x.claimed_us, x.deadline_us,
           x.stamp, x.credit, x.by, x.local, x.processor);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, claim_extended& x) {
  return f(x.id, x.queue, x.token, x.deadline_us);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item_released& x) {
  return f(x.id, x.queue, x.attempt, x.available_us, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item_finished& x) {
  return f(x.id, x.queue, x.how, x.finished_us, x.reason, x.batch_id,
           x.document);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item_parked& x) {
  return f(x.id, x.queue, x.parked);
}

// Bodies come last, so that a reader may skip them by place. The codec adds
// them itself.
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item_enqueued& x) {
  return f(x.id, x.queue, x.priority, x.size, x.received_us, x.digest, x.kind);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, body_relocated& x) {
  return f(x.id, x.queue);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, submission_recorded& x) {
  return f(x.id, x.queue, x.received_us, x.finished_us, x.failed,
           x.particulars, x.batch_id, x.document);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, queue_changed& x) {
  return f(x.queue, x.settings);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, user_limits_changed& x) {
  return f(x.queue, x.user, x.has_allocation, x.allocation, x.has_concurrency,
           x.concurrency);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f,
                                        user_standing_changed& x) {
  return f(x.user, x.held, x.prohibited);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, account_changed& x) {
  return f(x.user, x.password_hash, x.prefixes);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, processor_changed& x) {
  return f(x.spec, x.removed);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, key_permit& x) {
  return f(x.right, x.queue);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, key_changed& x) {
  return f(x.name, x.digest, x.permits);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, move_changed& x) {
  return f(x.reference, x.from, x.to, x.status, x.begun_us, x.forgotten,
           x.id_last);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, item_moved& x) {
  return f(x.id, x.queue, x.to, x.moved_us);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, record_rejected& x) {
  return f(x.partition, x.offset, x.reason, x.key, x.value);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, server_changed& x) {
  return f(x.suspended, x.drop_folder_polling);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f,
                                        configuration_seen::queue& x) {
  return f(x.name, x.settings);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, configuration_seen& x) {
  return f(x.queues, x.processors_count, x.prohibited_users);
}

} // namespace depositd
