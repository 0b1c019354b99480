#pragma once

// The ports of a log of records in memory, for simulations and tests. The log
// itself lives in a `memory_record_log`, which plays the brokers: sources and
// sinks come and go, on threads of their own.

#include "messages/ports/log_identity.hpp"
#include "messages/ports/record_log.hpp"

#include <memory>
#include <string>
#include <vector>

namespace depositd {

class memory_record_log;

struct memory_record_log_options {
  /// A record's value, and its key, may have as many; a larger one is left out.
  std::size_t value_bytes_max = 1'000'000;
};

/// A log without topics.
std::shared_ptr<memory_record_log>
make_memory_record_log(const memory_record_log_options& options = {});

/// Reads the topic, which may be created later.
std::unique_ptr<record_source>
open_memory_source(std::shared_ptr<memory_record_log> log, std::string topic);

std::unique_ptr<log_identity>
open_memory_identity(std::shared_ptr<memory_record_log> log, std::string topic);

std::unique_ptr<record_sink>
open_memory_sink(std::shared_ptr<memory_record_log> log);

/// Whatever a topic of this name held is gone.
void create_memory_topic(memory_record_log& log, const std::string& topic,
                         std::int32_t partitions);

/// The topic, which must exist, gets one more.
void add_memory_partition(memory_record_log& log, const std::string& topic);

/// What a producer elsewhere writes. Returns its offset; the topic and the
/// partition must exist. `partition` and `offset` of the record are not used.
std::int64_t append_memory_record(memory_record_log& log,
                                  const std::string& topic,
                                  std::int32_t partition, source_record x);

/// What a transaction leaves: a place of no record.
void append_memory_mark(memory_record_log& log, const std::string& topic,
                        std::int32_t partition);

/// Everything that a topic holds, partition by partition.
std::vector<source_record> memory_records(memory_record_log& log,
                                          const std::string& topic);

/// Deletes the records below an offset, as retention does.
void trim_memory_partition(memory_record_log& log, const std::string& topic,
                           std::int32_t partition, std::int64_t low);

/// Deletes the records from an offset on, as a broker that lost its disk does.
void cut_memory_partition(memory_record_log& log, const std::string& topic,
                          std::int32_t partition, std::int64_t high);

/// Whether a broker answers.
void reach_memory_brokers(memory_record_log& log, bool yes);

/// Records with this key are refused for good, whatever is written beside them;
/// an empty one: none are.
void refuse_memory_records(memory_record_log& log, std::string key);

/// How a sink's call ends that is told to fail.
enum class publish_fault : std::uint8_t {
  nothing_written,
  half_written, ///< the first half of the batch, and an error
  answer_lost,  ///< all of it, and an error
  written_twice ///< all of it, then again, and no error
};

/// The next `count` calls of sinks end like this.
void fault_publishes(memory_record_log& log, publish_fault fault,
                     std::uint32_t count);

} // namespace depositd
