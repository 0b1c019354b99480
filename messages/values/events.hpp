#pragma once

// What happened: the only thing that is ever written to the journal. Events
// carry absolute results (the new stamp, attempt, deadline, settings), so
// replay needs no clock and events of different users commute.

#include "messages/values/control_events.hpp"
#include "messages/values/source_events.hpp"
#include "messages/values/work_events.hpp"

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace depositd {

/// A body came in with an item. In memory the bytes are in `body`; decoded from
/// the journal without bodies, only `place` is set.
struct item_enqueued {
  item_id id = 0;
  std::string queue;
  std::uint8_t priority = 0;
  std::uint64_t size = 0; ///< what size classes compare, bytes
  micros received_us = 0;
  std::uint64_t digest = 0; ///< of the payload, in queues that collapse
  body_kind kind = body_kind::inline_bytes;
  std::string body;
  body_location place; ///< not journalled: known by the reader

  friend bool operator==(const item_enqueued&, const item_enqueued&) = default;
};
// Bodies come last, so that a reader may skip them by place. The codec adds
// them itself.
DEPOSITD_FIELDS(item_enqueued, id, queue, priority, size, received_us, digest,
                kind);

/// The item is a deposit with this metadata.
struct submission_received {
  item_id id = 0;
  std::string queue;
  micros received_us = 0;
  depositd::submission submission;

  friend bool operator==(const submission_received&,
                         const submission_received&) = default;
};
DEPOSITD_FIELDS(submission_received, id, queue, received_us, submission);

/// Lent to a processor, with the place of its user in the ring afterwards.
struct item_claimed {
  item_id id = 0;
  std::string queue;
  claim_token token = 0;
  std::uint32_t attempt = 0;
  micros claimed_us = 0;
  micros deadline_us = never;
  std::uint64_t stamp = 0;  ///< of the user in the ring; 0: as it was
  std::uint32_t credit = 0; ///< left in this turn
  pick_kind by = pick_kind::round_robin;
  bool local = false; ///< the processor dies with this engine
  std::string processor;

  friend bool operator==(const item_claimed&, const item_claimed&) = default;
};
DEPOSITD_FIELDS(item_claimed, id, queue, token, attempt, claimed_us,
                deadline_us, stamp, credit, by, local, processor);

struct claim_renewed {
  item_id id = 0;
  std::string queue;
  claim_token token = 0;
  micros deadline_us = never;

  friend bool operator==(const claim_renewed&, const claim_renewed&) = default;
};
DEPOSITD_FIELDS(claim_renewed, id, queue, token, deadline_us);

/// The claim ended and the item is back: pending, or delayed until a time.
struct item_released {
  item_id id = 0;
  std::string queue;
  std::uint32_t attempt = 0;
  micros available_us = never; ///< never: at once
  std::string reason;

  friend bool operator==(const item_released&, const item_released&) = default;
};
DEPOSITD_FIELDS(item_released, id, queue, attempt, available_us, reason);

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
DEPOSITD_FIELDS(item_finished, id, queue, how, finished_us, reason, batch_id,
                document);

/// Set aside by an operator, or taken back (`parked` false).
struct item_parked {
  item_id id = 0;
  std::string queue;
  bool parked = true;

  friend bool operator==(const item_parked&, const item_parked&) = default;
};
DEPOSITD_FIELDS(item_parked, id, queue, parked);

/// A pinned body was written again, so that its old group can go.
struct body_compacted {
  item_id id = 0;
  std::string queue;
  std::string body;
  body_location place; ///< not journalled: known by the reader

  friend bool operator==(const body_compacted&,
                         const body_compacted&) = default;
};
DEPOSITD_FIELDS(body_compacted, id, queue);

/// A deposit that went past the queue (synchronous door), with its outcome.
struct submission_recorded {
  item_id id = 0;
  std::string queue;
  micros received_us = 0;
  micros finished_us = 0;
  bool failed = false;
  depositd::submission submission;
  std::string batch_id;
  std::string document;

  friend bool operator==(const submission_recorded&,
                         const submission_recorded&) = default;
};
DEPOSITD_FIELDS(submission_recorded, id, queue, received_us, finished_us,
                failed, submission, batch_id, document);

/// The item is in another queue from now on: pending there, without a claim,
/// never handed out. It keeps its id, its body and its place in time.
struct item_moved {
  item_id id = 0;
  std::string queue; ///< that it left
  std::string to;
  micros moved_us = 0;

  friend bool operator==(const item_moved&, const item_moved&) = default;
};
DEPOSITD_FIELDS(item_moved, id, queue, to, moved_us);

/// A record of an ingress partition that is no deposit, as it was.
struct record_rejected {
  std::string partition; ///< "topic/number"
  std::int64_t offset = 0;
  std::string reason;
  std::string key;
  std::string value;
  std::vector<record_header> headers;

  friend bool operator==(const record_rejected&,
                         const record_rejected&) = default;
};
DEPOSITD_FIELDS(record_rejected, partition, offset, reason, key, value,
                headers);

/// The deposit is over, but not its item, which has moved to an outbox in the
/// same record: somebody is still to be told.
struct submission_ended {
  item_id id = 0;
  std::string queue; ///< that it was deposited to
  ending how = ending::done;
  micros finished_us = 0;
  std::string reason;
  std::string batch_id;
  std::string document;

  friend bool operator==(const submission_ended&,
                         const submission_ended&) = default;
};
DEPOSITD_FIELDS(submission_ended, id, queue, how, finished_us, reason, batch_id,
                document);

/// A further item with the body of one that is written already: of the last one
/// that came before it in its record, or the one at a place of the journal.
struct item_copied {
  item_id id = 0;
  std::string queue;
  std::uint8_t priority = 0;
  std::uint64_t size = 0; ///< as of `item_enqueued`
  micros received_us = 0;
  body_kind kind = body_kind::inline_bytes;
  item_id of = 0; ///< the last that came; 0: the body is at `at`
  body_location at;
  body_location place; ///< not journalled: known by the reader

  friend bool operator==(const item_copied&, const item_copied&) = default;
};
DEPOSITD_FIELDS(item_copied, id, queue, priority, size, received_us, kind, of,
                at);

/// An item that waits is not handed out before a time. It has come, or moved,
/// in the same record.
struct item_delayed {
  item_id id = 0;
  std::string queue;
  micros available_us = never;

  friend bool operator==(const item_delayed&, const item_delayed&) = default;
};
DEPOSITD_FIELDS(item_delayed, id, queue, available_us);

/// The order is the journal's: append new kinds at the end, never reorder.
using event_kinds = std::variant<
  item_enqueued, submission_received, item_claimed, claim_renewed,
  item_released, item_finished, item_parked, body_compacted,
  submission_recorded, queue_changed, user_limits_changed,
  user_eligibility_changed, account_changed, processor_changed, server_changed,
  configuration_seen, key_changed, move_changed, item_moved, record_rejected,
  operator_changed, queue_founded, queue_retired, quota_changed,
  key_terms_changed, key_used, collection_changed, pipeline_changed,
  pipelines_seen, batch_received, batch_moved, batch_counted, job_created,
  job_moved, batch_forgotten, contact_changed, submission_ended, topic_changed,
  item_copied, item_delayed, processor_placed, deletion_changed, source_changed,
  scheduler_changed, source_read, sources_seen, fairness_changed, fairness_seen,
  record_taken, record_ended, record_refused, records_forgotten, ring_paid,
  operator_token_changed>;

template <class T, class Kinds>
inline constexpr bool is_kind_of = false;
template <class T, class... Kinds>
inline constexpr bool is_kind_of<T, std::variant<Kinds...>>
  = (std::is_same_v<T, Kinds> || ...);

/// One of them. What a variant of so many does in each source that has one (be
/// made of each kind, copied, moved, compared, ended) is compiled once.
struct event : event_kinds {
  event();
  event(const event& x);
  event(event&& x) noexcept;
  template <class T>
    requires is_kind_of<T, event_kinds>
  event(T what);
  ~event();

  event& operator=(const event& x);
  event& operator=(event&& x) noexcept;

  friend bool operator==(const event& x, const event& y);
};

/// All events of one command, appended and recovered as a whole. `user` is the
/// user whose node decided them, empty for control.
struct record {
  std::string user;
  std::vector<event> events;

  friend bool operator==(const record&, const record&) = default;
};

} // namespace depositd
