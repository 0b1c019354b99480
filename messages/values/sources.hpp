#pragma once

// Work that is fetched: the settings of sources and of the schedulers that
// draw from them, and what a source brings. Spellings as in the settings file.

#include "messages/values/fields.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

enum class source_kind : std::uint8_t {
  sql,
  sqs,
  kafka,
  s3,
  folder,
  queue,
  exec,
};

/// In place of a number: as far as nobody says otherwise, half of another.
inline constexpr std::uint64_t follows = no_size_limit;

/// In place of a number of records: no bound.
inline constexpr std::uint64_t no_mark = no_size_limit;

/// Where a source reads, as its kind wants it. What only another kind has is
/// empty.
struct source_origin {
  std::string url;                          ///< sql, sqs, queue
  std::string query;                        ///< sql
  std::string cursor;                       ///< sql: column; exec: field
  std::string cursor_start;                 ///< first value of `:cursor`
  bool has_cursor_start = false;            ///< it may be an empty text
  std::string total_query;                  ///< sql: one number
  std::string region = "us-east-1";         ///< sqs, s3
  std::string access_key_file;              ///< sqs, s3
  std::string secret_key_file;              ///< sqs, s3
  std::uint64_t visibility_timeout_s = 300; ///< sqs
  std::string topic;                        ///< kafka
  std::string brokers;                      ///< kafka; empty: of the log
  std::string bucket;                       ///< s3
  std::string prefix;                       ///< s3
  std::string endpoint;                     ///< s3
  std::string path;                         ///< folder
  std::string key_file;                     ///< queue: its API key
  std::uint64_t claim_ttl_s = 300;          ///< queue
  std::string command;                      ///< exec: words as in a shell

  friend bool operator==(const source_origin&, const source_origin&) = default;
};
DEPOSITD_FIELDS(source_origin, url, query, cursor, cursor_start,
                has_cursor_start, total_query, region, access_key_file,
                secret_key_file, visibility_timeout_s, topic, brokers, bucket,
                prefix, endpoint, path, key_file, claim_ttl_s, command);

/// One source as its operator wants it.
struct source_settings {
  source_kind kind = source_kind::sql;
  std::string scheduler;
  std::string key;        ///< field of the record; empty: that of the kind
  std::string user_field; ///< empty: all belong to the user named as the source
  std::uint64_t capacity = 10'000;             ///< records in the buffer
  std::uint64_t replenish_threshold = follows; ///< records; half of capacity
  std::uint64_t timeout_ms = 30'000;           ///< of one replenish
  std::uint64_t poll_interval_ms = 1'000;      ///< after nothing new
  std::uint64_t retry_delay_ms = 1'000;        ///< after the first failure
  std::uint64_t retry_delay_ms_max = 60'000;   ///< after many
  std::uint64_t known_max = 1'000'000;         ///< keys of what is over
  bool ends = false;                           ///< nothing new: it is over
  source_origin from;

  /// Records at or below which a replenish starts.
  std::uint64_t threshold() const noexcept {
    return replenish_threshold == follows ? capacity / 2 : replenish_threshold;
  }

  friend bool operator==(const source_settings&,
                         const source_settings&) = default;
};
DEPOSITD_FIELDS(source_settings, kind, scheduler, key, user_field, capacity,
                replenish_threshold, timeout_ms, poll_interval_ms,
                retry_delay_ms, retry_delay_ms_max, known_max, ends, from);

/// One scheduler: which queue it feeds, with whose records, and how far ahead.
struct scheduler_settings {
  std::string queue;
  std::string strategy = "fair(*)";
  std::uint64_t high = 10'000;           ///< records left: no more is fed
  std::uint64_t low = follows;           ///< then fed again; half of `high`
  std::uint64_t high_per_user = no_mark; ///< the same for each user's
  std::string downstream;       ///< who says what is left; empty: queue
  std::string downstream_query; ///< of a database

  /// Records left at or below which it feeds again.
  std::uint64_t low_mark() const noexcept {
    return low == follows ? high / 2 : low;
  }

  friend bool operator==(const scheduler_settings&,
                         const scheduler_settings&) = default;
};
DEPOSITD_FIELDS(scheduler_settings, queue, strategy, high, low, high_per_user,
                downstream, downstream_query);

enum class source_state : std::uint8_t {
  running,
  paused,  ///< nothing is read and nothing fed; the buffer is kept
  failing, ///< the last replenish failed; the buffer is fed
  ended,   ///< nothing more will come, until it is resumed
};

enum class scheduler_state : std::uint8_t {
  feeding,
  holding,   ///< at the mark
  suspended, ///< its queue is
};

/// Where a record is in its life.
enum class record_state : std::uint8_t {
  unknown,
  buffered,
  queued,
  claimed,
  finished,
  failed,
};

/// Keys are texts of 1 to so many bytes.
inline constexpr std::size_t record_key_bytes_max = 4096;
/// Users of records are texts of 1 to so many bytes.
inline constexpr std::size_t record_user_bytes_max = 255;

/// A record as a source brings it.
struct pulled_record {
  std::string key;
  std::string user;
  std::string body;   ///< JSON
  std::string cursor; ///< where to go on behind it; empty: only the batch says

  friend bool operator==(const pulled_record&, const pulled_record&) = default;
};
DEPOSITD_FIELDS(pulled_record, key, user, body, cursor);

/// A record that is passed over, and why.
struct bad_record {
  std::string key; ///< empty: it has none
  std::string user;
  std::string reason;
  std::string body;
  std::uint64_t at = 0; ///< good records of the batch before it

  friend bool operator==(const bad_record&, const bad_record&) = default;
};
DEPOSITD_FIELDS(bad_record, key, user, reason, body, at);

/// What one replenish brought.
struct pulled_batch {
  std::vector<pulled_record> records;
  std::vector<bad_record> bad;
  std::string cursor;      ///< where the next one goes on
  bool has_cursor = false; ///< false: the source keeps none
  bool ended = false;      ///< the source knows that nothing comes behind it
  std::uint64_t total = 0; ///< records of the source in all
  bool has_total = false;

  friend bool operator==(const pulled_batch&, const pulled_batch&) = default;
};
DEPOSITD_FIELDS(pulled_batch, records, bad, cursor, has_cursor, ended, total,
                has_total);

// -- their words --------------------------------------------------------------

const char* to_string(source_kind x);
const char* to_string(source_state x);
const char* to_string(scheduler_state x);
const char* to_string(record_state x);

/// Nothing if there is no such kind.
std::optional<source_kind> find_source_kind(std::string_view word);

/// Letters, digits, '_' and '-', at most 64, and no word of the strategies'
/// grammar. Of sources and schedulers.
bool legal_source_name(std::string_view name) noexcept;

/// A word of the strategies' grammar: fair, weighted, priority, prefer, else,
/// limit.
bool is_strategy_word(std::string_view word) noexcept;

} // namespace depositd
