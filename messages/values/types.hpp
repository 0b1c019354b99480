#pragma once

// The value types of the design: what items, claims, criteria and settings
// are. No CAF here.

#include "messages/values/fields.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace depositd {

/// Microseconds since 1970-01-01 UTC. 0 means never.
using micros = std::int64_t;
inline constexpr micros never = 0;

/// Position of an event in the journal of its shard; the first is 1.
using sequence = std::uint64_t;

/// Stable for the life of an item, unique in its shard, rising with arrival.
using item_id = std::uint64_t;

/// Names one claim; never given out twice for the same item.
using claim_token = std::uint64_t;

/// Number of an owner of a shard; rises with every owner, so a late write of
/// an earlier one is recognised.
using epoch_number = std::uint64_t;

inline constexpr std::uint32_t no_cap =
  std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t no_size_limit =
  std::numeric_limits<std::uint64_t>::max();

/// Bodies above this many bytes go to the blob store.
inline constexpr std::size_t inline_body_bytes_max = 256 * 1024;

/// What a queue is for: `deposit` queues are archived and polled by
/// depositors, `message` queues forget an item once it is finished.
/// In `stage` queues an item is a job or a batch of a pipeline. In `outbox`
/// queues it is a deposit that is over, of which somebody is still to be told.
enum class queue_kind : std::uint8_t { deposit, message, stage, outbox };

/// Whether priority orders the items of one user or the users of the queue.
enum class priority_mode : std::uint8_t { within_user, across_users };

enum class dedup_mode : std::uint8_t { none, between_polls, while_pending };

/// Where the bytes of a body are: inside its journal group, or in the blob
/// store under the SHA-256 (hexadecimal) that the body then consists of.
enum class body_kind : std::uint8_t { inline_bytes, blob };

/// By which rule of the selection an item was handed out.
enum class pick_kind : std::uint8_t { round_robin, preferred, required };

/// What a processor says of a claim.
enum class verdict : std::uint8_t {
  done,     ///< finished; leaves the queue
  failed,   ///< fatal: leaves the queue, the submission counts as failed
  retry,    ///< transient: again after a delay, until the attempts run out
  not_yet,  ///< gate: again after a delay, costs no attempt
  release,  ///< given back at once, costs no attempt
  skip,     ///< stages: was done before; elsewhere as `done`
  rejected, ///< stages: what was submitted is at fault; elsewhere as `failed`
};

/// How an item left its queue.
enum class ending : std::uint8_t { done, failed, purged, collapsed };

/// Where an item is in its life. The order is that of the read model.
enum class item_state : std::uint8_t { pending, claimed, delayed, parked };

/// Where the journal keeps the bytes of a body. `group` is a number of the
/// store's own making that rises with the journal; length 0 means nowhere.
struct body_location {
  std::uint64_t group = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;

  friend bool operator==(const body_location&, const body_location&) = default;
};
DEPOSITD_FIELDS(body_location, group, offset, length);

/// What can be set for a queue. Defaults are those of a queue that comes with
/// first use (`message`); see `deposit_queue_defaults`.
struct queue_settings {
  queue_kind kind = queue_kind::message;
  std::uint32_t allocation = 1;         ///< items per user and turn
  std::uint32_t concurrency = no_cap;   ///< claims per user at once
  std::uint32_t pending_limit = no_cap; ///< items per user, then refused
  priority_mode priority = priority_mode::within_user;
  dedup_mode dedup = dedup_mode::none;
  std::uint32_t attempts_max = no_cap; ///< hand-outs before it fails
  std::uint32_t retry_delay_ms = 1000; ///< first delay; doubles
  std::uint32_t retry_delay_ms_max = 600'000;
  std::uint32_t oldest_band_every = 16; ///< across_users: every Nth pick
  bool suspended = false;

  friend bool operator==(const queue_settings&,
                         const queue_settings&) = default;
};
DEPOSITD_FIELDS(queue_settings, kind, allocation, concurrency, pending_limit,
                priority, dedup, attempts_max, retry_delay_ms,
                retry_delay_ms_max, oldest_band_every, suspended);

/// Settings of `metadata` and `query` unless the configuration says otherwise.
inline queue_settings deposit_queue_defaults() {
  queue_settings out;
  out.kind = queue_kind::deposit;
  out.concurrency = 4;
  out.pending_limit = 10'000;
  out.attempts_max = 5;
  return out;
}

/// Settings of the queue of those who are still to be told: what fails is tried
/// for a day and a half.
inline queue_settings outbox_queue_defaults() {
  queue_settings out;
  out.kind = queue_kind::outbox;
  out.concurrency = 2; // one silent receiver leaves room for others
  out.pending_limit = 100'000;
  out.attempts_max = 16;
  out.retry_delay_ms = 30'000;
  out.retry_delay_ms_max = 6 * 3'600'000;
  return out;
}

/// Of one user in an outbox: what failed beyond these is let go.
inline constexpr std::uint64_t outbox_parked_max = 1'000;

/// Which items a processor may be handed. Names are user names. `required`
/// empty means any user. At most `criteria_users_max` names in all.
struct criteria {
  std::uint64_t size_max = no_size_limit; ///< bytes
  std::vector<std::string> required;
  std::vector<std::string> preferred;
  std::vector<std::string> excluded;

  friend bool operator==(const criteria&, const criteria&) = default;
};
DEPOSITD_FIELDS(criteria, size_max, required, preferred, excluded);

inline constexpr std::size_t criteria_users_max = 1024;

/// A submission processor as the operator configures it; journalled.
struct processor_spec {
  std::string name;               ///< [A-Za-z0-9._-]{1,64}
  std::vector<std::string> types; ///< queues; the first that exists decides
  std::uint32_t slots = 1;        ///< how many items at once
  criteria wants;

  friend bool operator==(const processor_spec&,
                         const processor_spec&) = default;
};
DEPOSITD_FIELDS(processor_spec, name, types, slots, wants);

/// Something said about a record beside its value; names may repeat.
struct record_header {
  std::string name;
  std::string value;

  friend bool operator==(const record_header&, const record_header&) = default;
};
DEPOSITD_FIELDS(record_header, name, value);

/// What a stranger may call a submission and himself, bytes: both are kept.
inline constexpr std::size_t file_name_bytes_max = 1'024;
inline constexpr std::size_t login_bytes_max = 1'024;
/// Where a name is one in a file system, too, or is looked for as one.
inline constexpr std::size_t plain_name_bytes_max = 255;

/// The metadata of a deposit, as the read model keeps it.
struct submission {
  std::string file_name;  ///< as the client gave it, never a path of ours
  std::string operation;  ///< doMDUpload, doQueryUpload, ...
  std::string login;      ///< what was typed, e.g. email/role
  std::string source;     ///< http, v2, drop, shell, native
  std::string blob;       ///< SHA-256 of the original body, hexadecimal
  std::uint64_t size = 0; ///< bytes of the original body
  std::string trace;      ///< W3C `traceparent` of who sent it, or empty

  friend bool operator==(const submission&, const submission&) = default;
};
DEPOSITD_FIELDS(submission, file_name, operation, login, source, blob, size,
                trace);

/// An item on its way in.
struct new_item {
  std::string user;
  std::uint8_t priority = 0; ///< 0 first, 99 last
  std::string body;          ///< at most `inline_body_bytes_max`

  friend bool operator==(const new_item&, const new_item&) = default;
};
DEPOSITD_FIELDS(new_item, user, priority, body);

/// An item lent to a processor.
struct claimed_item {
  item_id id = 0;
  claim_token token = 0;
  std::uint32_t member = 0;  ///< the queue's number of the user; echo it
  std::uint32_t attempt = 0; ///< 1 at the first hand-out
  std::uint8_t priority = 0;
  body_kind kind = body_kind::inline_bytes;
  micros received_us = 0;
  micros deadline_us = never; ///< never: as long as its processor lives
  std::string user;
  std::string body;

  friend bool operator==(const claimed_item&, const claimed_item&) = default;
};
DEPOSITD_FIELDS(claimed_item, id, token, member, attempt, priority, kind,
                received_us, deadline_us, user, body);

/// How a processor ends a claim.
struct outcome {
  item_id id = 0;
  claim_token token = 0;
  std::uint32_t member = 0; ///< as in the `claimed_item`
  verdict says = verdict::done;
  std::uint32_t delay_ms = 0; ///< retry, not_yet: 0 = the queue's own policy
  std::string reason;         ///< failed, retry: for people
  std::string batch_id;       ///< deposits: doi_batch_id once it is known
  /// Deposits: what a poller gets. Stages: the item's new body, if it changed;
  /// see messages/values/job_documents.hpp.
  std::string document;
  bool tell = false; ///< deposits: somebody is told of it when it ends

  friend bool operator==(const outcome&, const outcome&) = default;
};
DEPOSITD_FIELDS(outcome, id, token, member, says, delay_ms, reason, batch_id,
                document, tell);

} // namespace depositd
