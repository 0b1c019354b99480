#pragma once

// Ports: a partitioned log of records outside, from which deposits come and to
// which outcomes go. Adapter: kafka; that and the one in memory of the tests
// pass tests/contract/record_log_suite.hpp. No partition is ever given to
// anybody by the log itself: whoever reads says what, and keeps its own
// position.

#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// A record as it was read.
struct source_record {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  micros written_us = never; ///< by the producer's or broker's clock, if known
  std::string key;           ///< empty if there is none
  std::string value;
  bool has_value = false; ///< false: a tombstone, which is not an empty text
  std::vector<record_header> headers;

  friend bool operator==(const source_record&, const source_record&) = default;
};

/// What it takes of a limit on bytes: its headers are a producer's as well.
inline std::size_t bytes_of(const source_record& x) {
  auto out = x.key.size() + x.value.size();
  for (const auto& header : x.headers)
    out += sizeof header + header.name.size() + header.value.size();
  return out;
}

/// In place of an offset: with the oldest record that is still there.
inline constexpr std::int64_t from_oldest = -1;

/// Where reading a partition goes on.
struct partition_position {
  std::int32_t partition = 0;
  std::int64_t next = from_oldest; ///< offset of the next record to be shown

  friend bool operator==(const partition_position&,
                         const partition_position&) = default;
};

/// What a partition holds: offsets in [low, high).
struct partition_range {
  std::int64_t low = 0;
  std::int64_t high = 0;

  friend bool operator==(const partition_range&,
                         const partition_range&) = default;
};

/// How much one call may return, and how long it may wait for the first record.
struct read_limits {
  std::size_t records_max = 1'000;
  std::size_t bytes_max = 4 * 1024 * 1024; ///< at least one record comes
  std::chrono::milliseconds wait{100};
};

/// Reads one topic. Used by one thread, which may wait: no call takes longer
/// than the limit that it is given or, without one, than `timeout` of the
/// adapter's options (10 s).
class record_source {
public:
  virtual ~record_source() = default;

  /// Number of partitions: 0, 1, ... `ec::not_found` if the topic does not
  /// exist, `ec::store_failed` if no broker answers.
  virtual caf::expected<std::int32_t> partitions() = 0;

  /// What a partition holds now. Errors as above.
  virtual caf::expected<partition_range> range(std::int32_t partition) = 0;

  /// Where a partition that is read ends, by what has come of it so far; -1:
  /// not known. For reports, which may be many: whoever is asked may be waiting
  /// for records, so that is seldom, and of one partition at a time.
  virtual std::int64_t known_end(std::int32_t partition) = 0;

  /// From now on reads these partitions and no others, each from its position.
  /// Nothing changes if it fails: `ec::not_found` if a position is older than
  /// the oldest record, so that records were lost to retention before they were
  /// read; `ec::store_damaged` if one is behind the end, so that the log was
  /// cut or is another one; `ec::store_failed` if no broker answers.
  virtual caf::error assign(const std::vector<partition_position>& positions)
    = 0;

  /// What came since the last call, in the order of offsets within each
  /// partition; empty after `wait`, also while no broker can be reached.
  /// Offsets may have gaps. The errors of `assign`, if the log changed under
  /// the reader, and `ec::store_damaged` if a checksum does not match: then
  /// nothing comes until the next `assign`.
  virtual caf::expected<std::vector<source_record>>
  poll(const read_limits& limits) = 0;

  /// Up to before which offset there is nothing left to show of a partition
  /// that is read. That may be behind its last record, once the end was
  /// reached: marks of transactions and what was aborted have offsets, too, and
  /// go with time as records do.
  virtual std::int64_t shown_to(std::int32_t partition) const = 0;

  /// Why nothing comes, in one line for an operator; empty while all is well.
  virtual std::string trouble() const = 0;
};

/// A record on its way out.
struct outgoing_record {
  std::string topic;
  std::string key; ///< equal keys keep their order; empty: any partition
  std::string value;
  bool has_value = true;
  std::vector<record_header> headers;

  friend bool operator==(const outgoing_record&,
                         const outgoing_record&) = default;
};

/// Header of a record whose value was left out because the log refuses one of
/// its size; says how many bytes it had. A record never blocks those behind it.
inline constexpr const char* value_omitted_header = "value-omitted";

/// Likewise of a record whose key was left out.
inline constexpr const char* key_omitted_header = "key-omitted";

/// A record that comes in may have so long a key: it goes out again with a dead
/// letter, and what is said about the record has to find room beside it.
inline constexpr std::size_t key_bytes_max = 4'096;

/// Writes to any topics. Used by one thread, which may wait.
class record_sink {
public:
  virtual ~record_sink() = default;

  /// Returns when every record is acknowledged by all replicas that are in
  /// sync. After an error any of them may have been written or not, and the
  /// caller repeats the batch: readers know repetitions by their event id.
  /// `ec::not_found` if a topic does not exist, `ec::store_failed` if `wait`
  /// is over or the brokers refuse.
  virtual caf::error publish(const std::vector<outgoing_record>& batch,
                             std::chrono::milliseconds wait)
    = 0;

  /// Why nothing goes out, in one line for an operator; empty while all is
  /// well.
  virtual std::string trouble() const = 0;
};

} // namespace depositd
