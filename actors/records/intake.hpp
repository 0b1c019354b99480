#pragma once

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/log_identity.hpp"
#include "messages/ports/record_log.hpp"
#include "messages/records.hpp"
#include "messages/values/sharding.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace depositd::records {

/// To itself: ask where to go on, and read from there.
struct begin_reading {};

/// To itself: read the next records.
struct read_more {};

struct intake_options {
  std::shared_ptr<record_source> source; ///< of the ingress topic
  std::shared_ptr<log_identity> identity; ///< of that topic
  std::string topic;
  record_format format;
  shard_inside_actor own;     ///< whose journal keeps the cursors
  shard_doors_actor deposits; ///< takes them: `own`, or a router
  journal_actor journal;      ///< of `own`
  /// Whether the cursors are its own watermarks. Else they are the shard's,
  /// which go with what was read.
  bool keeps_cursors = false;
  shard_number shard = 0;
  shard_number shards = 1; ///< reads every partition p with p % shards == shard
  blob_store* blobs = nullptr; ///< for large bodies; outlives the actor
  /// Set while it waits for the brokers; may be null.
  std::shared_ptr<std::atomic<bool>> waits;
  read_limits limits;
  /// On their way to shards at once; one more poll may go beyond. Enough that a
  /// commit is under way while the next records are decoded.
  std::size_t records_in_flight_max = 8'000;
  /// The same in bytes: a batch must fit into a message between engines.
  std::size_t bytes_in_flight_max = 32 * 1024 * 1024;
  /// After a poll that found nothing. With a `limits.wait` it may be 0.
  std::chrono::milliseconds idle_pause{0};
  std::chrono::milliseconds retry_pause{1000}; ///< after any failure
  std::chrono::milliseconds request_timeout{30'000};
  /// Between two looks whether the topic has got more partitions, or is another
  /// one.
  std::chrono::milliseconds look_pause{60'000};
};

using intake_self
  = intake_actor::extend<caf::reacts_to<begin_reading>,
                         caf::reacts_to<read_more>>;

/// Records of a partition. They are kept until they are durable: of those that
/// a shard refuses, the dead letters are the records as they came.
struct read_records {
  std::vector<source_record> records;
  std::size_t bytes = 0; ///< of keys and values
};

/// A partition that is read. One batch of it is on its way at a time: were a
/// later one taken where an earlier one failed, the watermark would skip what
/// is missing.
struct read_partition {
  std::int64_t next = 0; ///< committed up to before this
  bool sending = false;
  read_records sent;     ///< what is on its way
  std::map<std::int64_t, std::string> refused; ///< of `sent`: offset, reason
  read_records waiting;  ///< what has come meanwhile
  ingest next_batch;     ///< made of `waiting`
};

struct intake_state {
  using interface = intake_self;

  intake_options options;
  /// Rises with every new beginning: answers to older batches mean nothing.
  std::uint32_t attempt = 0;
  std::size_t in_flight = 0; ///< records that are not committed yet
  std::size_t bytes_in_flight = 0;
  bool reading = false;      ///< a `read_more` is on its way
  /// None: not begun, or none is ours.
  std::map<std::int32_t, read_partition> partitions;
  bool begun = false; ///< whether it reads what is ours, if anything is
  bool grown = false; ///< the topic has more that is ours
  caf::actor_clock::time_point looked_at; ///< for that
  /// By partition: all before this is in the shards, since we are here.
  std::map<std::int32_t, std::int64_t> committed;
  /// Likewise which record was the last of them.
  std::map<std::int32_t, std::int64_t> marks;
  /// And which was that when the log was last known to be the one that is read:
  /// the last one may be of another already, which was made anew meanwhile.
  std::map<std::int32_t, std::int64_t> anchors;
  caf::actor_clock::time_point compared_at; ///< by those
  /// Why the log is not the one that was read. Once it has grown as far as that
  /// one had, nothing would tell: what it got meanwhile was never read.
  caf::error cut;
  std::string stopped; ///< why it could not begin, as the log says
  std::set<std::int32_t> late; ///< begun late, as the log says
  intake_report report;

  static inline const char* name = "intake";
};

/// Pulls records with credit. It waits for brokers and blobs: must be detached
/// outside the deterministic scheduler.
intake_self::behavior_type intake(actor_with<intake_state>* self,
                                  intake_options options);

} // namespace depositd::records

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::records::begin_reading)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::records::read_more)
