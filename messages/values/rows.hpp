#pragma once

// Rows of the projection: what the keyed tables hold, and the net effect of a
// slice of the journal on them.

#include "messages/values/events.hpp"
#include "messages/values/sources.hpp"
#include "messages/values/types.hpp"
#include "messages/values/work_rows.hpp"

#include <string>
#include <vector>

namespace depositd {

/// A live item: everything but its body.
struct item_row {
  item_id id = 0;
  std::string queue;
  std::string user;
  std::uint8_t priority = 0;
  std::uint64_t size = 0;
  micros received_us = 0;
  std::uint64_t digest = 0;
  body_kind kind = body_kind::inline_bytes;
  body_location place;
  // -- what changes while it lives
  item_state state = item_state::pending;
  std::uint32_t attempt = 0;
  micros available_us = never; ///< delayed: until when
  claim_token token = 0;       ///< 0: not claimed
  micros deadline_us = never;
  bool local = false; ///< claimed by a processor inside the engine
  std::string processor;

  friend bool operator==(const item_row&, const item_row&) = default;
};
DEPOSITD_FIELDS(item_row, id, queue, user, priority, size, received_us, digest,
                kind, place, state, attempt, available_us, token, deadline_us,
                local, processor);

/// Replaces the changing part of a live item that an earlier slice put there;
/// with `place.length` > 0 also its place.
struct item_change {
  item_id id = 0;
  item_state state = item_state::pending;
  std::uint32_t attempt = 0;
  micros available_us = never;
  claim_token token = 0;
  micros deadline_us = never;
  bool local = false;
  std::string processor;
  /// Which of the fields above mean anything: an extended claim changes only
  /// its deadline, a moved body only its place, parking only the state.
  bool has_claim_state = false;
  bool has_deadline = false;
  bool has_parked_state = false; ///< `state` is parked, or pending again
  bool has_queue = false;        ///< moved to `queue`
  bool has_priority = false;     ///< a stage found out how urgent it is
  std::uint8_t priority = 0;
  body_location place;
  std::string queue;

  friend bool operator==(const item_change&, const item_change&) = default;
};

/// Where a user stands in the ring of a queue, and what it has spent there.
/// What a row has not stays as it was; a store shows both in a row each.
struct ring_row {
  std::string queue;
  std::string user;
  std::uint64_t stamp = 0;
  std::uint32_t credit = 0;
  std::uint64_t spent = 0; ///< this and the next two as in `ring_paid`
  std::uint64_t floor = 0;
  std::uint64_t since = 0;
  bool has_turn = true;   ///< stamp and credit mean something
  bool has_spent = false; ///< so do `spent`, `floor` and `since`
  bool gone = false;      ///< nowhere any longer: the row is removed

  friend bool operator==(const ring_row&, const ring_row&) = default;
};

/// A record of a source, as far as it is known: one that lives, one that is
/// over and remembered, or a bad one.
struct record_row {
  std::string source;
  micros made_us = never;
  std::string key;
  std::uint64_t refused = 0; ///< of a bad one: digest of its body; else 0
  std::string queue;
  std::string user;
  item_id id = 0;                            ///< of its item; 0: bad
  record_state state = record_state::queued; ///< finished, failed: it is over
  std::uint64_t place = 0; ///< of those that are over: rises with their ends
  micros ended_us = never;
  std::string reason; ///< of those that failed or are bad
  std::string body;   ///< likewise; loaded only where it is asked for

  friend bool operator==(const record_row&, const record_row&) = default;
};
DEPOSITD_FIELDS(record_row, source, made_us, key, refused, queue, user, id,
                state, place, ended_us, reason, body);

/// A record that an earlier slice put there is over.
struct record_change {
  std::string source;
  micros made_us = never;
  std::string key;
  item_id id = 0; ///< another item has the key: nothing changes
  record_state state = record_state::finished;
  std::uint64_t place = 0; ///< as in `record_row`
  micros ended_us = never;
  std::string reason;
  std::string body; ///< of one that failed

  friend bool operator==(const record_change&, const record_change&) = default;
};

/// What is remembered no longer of a source.
struct records_removed {
  std::string source;
  micros made_us = never;
  bool all = false; ///< of this source and every earlier one of its name
  std::vector<std::string> keys;      ///< that are over
  std::vector<std::uint64_t> refused; ///< bad ones

  friend bool operator==(const records_removed&,
                         const records_removed&) = default;
};

/// How many records of a source have ended since it was made, the forgotten
/// ones included.
struct record_totals {
  std::string source;
  micros made_us = never;
  std::uint64_t finished = 0;
  std::uint64_t failed = 0;
  /// Of a slice: there is such a source, as a record of it was taken. Without
  /// that what ended of a source that is forgotten would count.
  bool begins = false;
  bool gone = false; ///< the row is removed

  friend bool operator==(const record_totals&, const record_totals&) = default;
};

/// The newest control event of one kind and key (its index in `event` and its
/// queue, user or name), in the journal's own encoding.
struct control_row {
  std::uint8_t kind = 0;
  std::string key;
  std::string value;
  bool gone = false; ///< nothing is set any longer: the row is removed

  friend bool operator==(const control_row&, const control_row&) = default;
};

enum class submission_status : std::uint8_t {
  queued,
  in_process,
  completed,
};

/// A submission in the read model; kept after it has finished.
struct submission_row {
  item_id id = 0;
  std::string user;
  std::string queue;
  depositd::submission submission;
  submission_status status = submission_status::queued;
  bool failed = false;
  bool parked = false;
  std::string batch_id;
  std::string processor; ///< that had it last
  std::string reason;
  std::string document; ///< what pollers get; empty until completed
  micros received_us = 0;
  micros started_us = never;
  micros finished_us = never;
  std::uint32_t attempt = 0;
  /// Of what was sent and what it was sent for, where that is compared with
  /// what comes again; else 0. The store's, not told to others.
  std::uint64_t digest = 0;
  /// What was sent, if it came with its item and is kept; else it is under
  /// `submission.blob`, or nowhere. Written once, read where it is asked for.
  std::string contents;

  friend bool operator==(const submission_row&,
                         const submission_row&) = default;
};
DEPOSITD_FIELDS(submission_row, id, user, queue, submission, status, failed,
                parked, batch_id, processor, reason, document, received_us,
                started_us, finished_us, attempt, contents);

/// What happened to a submission that an earlier slice put there. Fields whose
/// `has_` is false stay.
struct submission_change {
  item_id id = 0;
  bool has_started = false;  ///< claimed: status, start, attempt, processor
  bool has_returned = false; ///< released: status queued again, attempt
  bool has_finished = false; ///< finished: status, failed, texts, finished_us
  bool has_parked = false;
  bool failed = false;
  bool parked = false;
  std::uint32_t attempt = 0;
  micros started_us = never;
  micros finished_us = never;
  std::string processor;
  std::string reason;
  std::string batch_id;
  std::string document;

  friend bool operator==(const submission_change&,
                         const submission_change&) = default;
};

/// The net effect of the events after `from` up to and with `last`. What was
/// enqueued and finished inside the slice is not in it at all (but for its
/// submission).
struct slice {
  sequence from = 0;
  sequence last = 0;
  item_id id_max = 0; ///< highest item id seen, so that none is given twice
  std::vector<item_row> items_put;
  std::vector<item_change> items_changed;
  std::vector<item_id> items_gone;
  std::vector<ring_row> rings;
  std::vector<control_row> controls;
  std::vector<submission_row> submissions_put;
  std::vector<submission_change> submissions_changed;
  std::vector<batch_row> batches_put;
  std::vector<batch_change> batches_changed;
  std::vector<item_id> batches_gone; ///< with all their jobs
  std::vector<job_row> jobs_put;
  std::vector<job_change> jobs_changed;
  std::vector<record_change> records_changed; ///< before the others
  std::vector<records_removed> records_gone;
  std::vector<record_row> records_put; ///< each replaces the row of its key
  std::vector<record_totals> records_ended; ///< so many more of them
};

/// Failed and bad records of a source in the order in which they came to their
/// end.
struct failed_query {
  std::string queue; ///< that the source's scheduler feeds
  std::string source;
  micros made_us = never;
  std::uint64_t after = 0; ///< only those with a later `place`
  std::uint32_t count_max = 100;
  std::uint64_t bytes_max = 0; ///< of the rows; 0: all that are found
};
DEPOSITD_FIELDS(failed_query, queue, source, made_us, after, count_max,
                bytes_max);

/// Which submissions to read. Empty fields do not restrict.
struct submission_query {
  item_id id = 0;
  std::string user;
  std::string queue;
  std::string file_name;
  std::string batch_id;
  bool has_status = false;
  submission_status status = submission_status::queued;
  bool newest_first = true;
  std::uint32_t count_max = 100;
  bool with_documents = true;
  std::vector<item_id> ids; ///< any of these, if there are any
  /// Only what comes after these in the order; one of each shard at most.
  std::vector<item_id> after;
  std::uint64_t bytes_max = 0; ///< of the rows; 0: all that are found
  bool with_contents = false;
};
DEPOSITD_FIELDS(submission_query, id, user, queue, file_name, batch_id,
                has_status, status, newest_first, count_max, with_documents,
                ids, after, bytes_max, with_contents);

} // namespace depositd
