#pragma once

// Deposits and batches from a log of records (Kafka) on their way into shards,
// the cursors that make each of them come in once, and what is written to such
// logs. The form of records is an adapter's (adapters/logs/kafka,
// docs/PROTOCOL.md).

#include "messages/message.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/ports/record_log.hpp"
#include "messages/values/events.hpp"
#include "messages/values/types.hpp"
#include "messages/work.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace depositd {

struct batch_document;

// -- coming in ----------------------------------------------------------------

/// Posts up to this many bytes travel inside the item's body; larger ones are
/// put into the blob store first.
inline constexpr std::size_t inline_submission_bytes_max = 192 * 1024;

/// A deposit that a record asked for.
struct ingest_deposit {
  std::int64_t offset = 0;
  std::string queue; ///< of kind deposit
  std::string user;
  std::uint8_t priority = 0;
  depositd::submission submission;
  std::string body; ///< empty: under `submission.blob`
};
DEPOSITD_FIELDS(ingest_deposit, offset, queue, user, priority, submission,
                body);

/// A batch for a pipeline that a record asked for. Its uuid was made by who
/// wrote the record, and is what a repetition of it is known by.
struct ingest_work {
  std::int64_t offset = 0;
  submit_batch what;
  std::uint64_t digest = 0; ///< of all that the record says; never 0
};
DEPOSITD_FIELDS(ingest_work, offset, what, digest);

/// A record that is neither deposit nor batch.
struct ingest_rejected {
  std::int64_t offset = 0;
  std::string reason;
  std::string key;
  std::string value;
  std::vector<record_header> headers;
  /// Whose shard keeps it: the user of what this shard refused.
  /// Empty: the shard that the partition's name stands for.
  std::string user;
};
DEPOSITD_FIELDS(ingest_rejected, offset, reason, key, value, headers, user);

/// Some records of one partition, in their order, for one shard. What is at or
/// below the shard's watermark of the partition is skipped. All effects and the
/// new watermark become durable in one group.
struct ingest {
  std::string partition; ///< "topic/number"
  std::int64_t last = 0; ///< the batch covers everything up to this offset
  std::vector<ingest_deposit> deposits;
  std::vector<ingest_rejected> rejected;
  std::vector<ingest_work> works;
};
DEPOSITD_MESSAGE(22, ingest, partition, last, deposits, rejected, works);

/// A deposit or a batch that a shard cannot take, whatever comes.
struct ingest_refused {
  std::int64_t offset = 0;
  std::string reason;
};
DEPOSITD_FIELDS(ingest_refused, offset, reason);

/// The batch is durable; or, with `refused`, a shard has applied nothing of it:
/// it is sent again with these records among the `rejected`.
struct ingested {
  std::uint32_t accepted = 0;
  std::uint32_t rejected = 0;
  std::uint32_t skipped = 0; ///< applied before
  std::vector<ingest_refused> refused;
};
DEPOSITD_MESSAGE(23, ingested, accepted, rejected, skipped, refused);

/// Asks a shard how far it has applied each partition, and how far its journal
/// was published.
struct read_watermarks {};
DEPOSITD_MESSAGE(24, read_watermarks);

struct watermarks_read {
  std::vector<watermark> watermarks;
};
DEPOSITD_MESSAGE(25, watermarks_read, watermarks);

// -- going out ----------------------------------------------------------------

/// Name of the watermark that says up to which sequence the journal was
/// published. No partition has it: those contain a slash.
inline constexpr const char* egress_watermark = "egress";

/// What became of a deposit.
struct outcome_event {
  std::string event_id; ///< "shard:sequence": the same at every repetition
  item_id id = 0;
  std::string user;
  std::string queue;
  depositd::submission submission;
  ending how = ending::done;
  std::string reason;
  std::string batch_id;
  std::string document;
  micros received_us = 0;
  micros finished_us = 0;
};

/// A record that is no deposit, on its way to those who look after such.
struct dead_letter {
  std::string event_id;
  record_rejected what;
};

/// A batch that has come to an end: completed, failed or deleted.
struct ended_batch {
  /// The same at every repetition, and of every move that changes nothing of
  /// this end: a failed batch moves again when its report is through.
  std::string event_id;
  batch_row row; ///< as the move left it
};

/// A job that has.
struct ended_job {
  std::string event_id;
  job_row row;             ///< as the move left it
  std::string stage_queue; ///< where it came to its end
  std::string batch_uuid;
  bool has_facts =
    false; ///< the move said them; else they are the read model's
};

/// What a record of the ingress topic says, if it is a batch.
struct read_batch {
  submit_batch what;                        ///< without its document
  std::shared_ptr<batch_document> document; ///< without blob and time
  std::string payload; ///< of its only payload; empty: that has a URL
};

using record_content = std::variant<ingest_deposit, read_batch>;

/// Pure functions, called by several threads.
struct record_format {
  /// The error's text is the reason in the dead letter.
  std::function<caf::expected<record_content>(const source_record&)> read;
  std::function<outgoing_record(const outcome_event&)> write_outcome;
  std::function<outgoing_record(const dead_letter&)> write_dead_letter;
  /// Both, or neither: then nobody wants to know.
  std::function<outgoing_record(const ended_batch&)> write_batch = {};
  std::function<outgoing_record(const ended_job&)> write_job = {};
};

// -- reports ------------------------------------------------------------------

struct report_intake {};
DEPOSITD_LOCAL(report_intake);

struct intake_report {
  struct entry {
    std::string partition;
    std::int64_t next = 0; ///< offset that is read next
    std::int64_t end = 0;  ///< of the log, when it was last seen
  };
  std::vector<entry> partitions;
  std::uint64_t accepted = 0; ///< since the engine started
  std::uint64_t rejected = 0;
  std::string trouble; ///< why it does not read now; empty: it does
};
DEPOSITD_LOCAL(intake_report);

struct report_publisher {};
DEPOSITD_LOCAL(report_publisher);

struct publisher_report {
  sequence published = 0;
  std::uint64_t events = 0; ///< since the engine started
  std::uint64_t dead_letters = 0;
  std::uint64_t passed = 0; ///< events that were dropped unpublished
  std::string trouble;
  std::uint64_t work =
    0; ///< ends of jobs and batches, since the engine started
};
DEPOSITD_LOCAL(publisher_report);

struct create_topics {};
DEPOSITD_LOCAL(create_topics);

struct topics_created {
  struct entry {
    std::string topic;
    std::uint32_t partitions = 0;
    bool existed = false;
  };
  std::vector<entry> topics;
};
DEPOSITD_LOCAL(topics_created);

} // namespace depositd
