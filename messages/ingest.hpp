#pragma once

// Deposits from a log of records (Kafka) on their way into shards, and the
// cursors that make each of them come in once.

#include "messages/ports/journal_store.hpp"
#include "messages/values/types.hpp"

#include <string>
#include <vector>

namespace depositd {

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
  std::string body; ///< empty: under `particulars.blob`
};

/// A record that is no deposit.
struct ingest_rejected {
  std::int64_t offset = 0;
  std::string reason;
  std::string key;
  std::string value;
  std::vector<record_header> headers;
  /// Whose shard keeps it: the user of a deposit that this shard refused.
  /// Empty: the shard that the partition's name stands for.
  std::string user;
};

/// Some records of one partition, in their order, for one shard. What is at or
/// below the shard's watermark of the partition is skipped. All effects and the
/// new watermark become durable in one group.
struct ingest {
  std::string partition; ///< "topic/number"
  std::int64_t last = 0; ///< the batch covers everything up to this offset
  std::vector<ingest_deposit> deposits;
  std::vector<ingest_rejected> rejected;
};

/// A deposit that a shard cannot take, whatever comes.
struct ingest_refused {
  std::int64_t offset = 0;
  std::string reason;
};

/// The batch is durable; or, with `refused`, a shard has applied nothing of it:
/// it is sent again with these records among the `rejected`.
struct ingested {
  std::uint32_t accepted = 0;
  std::uint32_t rejected = 0;
  std::uint32_t skipped = 0; ///< applied before
  std::vector<ingest_refused> refused;
};

/// Asks a shard how far it has applied each partition, and how far its journal
/// was published.
struct read_watermarks {};

struct watermarks_read {
  std::vector<watermark> watermarks;
};

/// Name of the watermark that says up to which sequence the journal was
/// published. No partition has it: those contain a slash.
inline constexpr const char* egress_watermark = "egress";

/// To the journal: goes into the next group. Meanwhile a crash repeats what the
/// mark would have saved, no more.
struct keep_watermark {
  watermark mark;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, watermark& x) {
  return f(x.partition, x.offset);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ingest_deposit& x) {
  return f(x.offset, x.queue, x.user, x.priority, x.submission, x.body);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ingest_rejected& x) {
  return f(x.offset, x.reason, x.key, x.value, x.headers, x.user);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ingest& x) {
  return f(x.partition, x.last, x.deposits, x.rejected);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ingest_refused& x) {
  return f(x.offset, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ingested& x) {
  return f(x.accepted, x.rejected, x.skipped, x.refused);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, read_watermarks&) {
  return f();
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, watermarks_read& x) {
  return f(x.watermarks);
}

} // namespace depositd
