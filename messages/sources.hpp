#pragma once

// Work that is pulled. A scheduler and its sources live in the shard of the
// scheduler's name, where the strategy takes records from buffers. What it
// takes goes to the shard of the scheduler's queue, which makes items of what
// it does not know, and remembers (decision 0042):
//
//   source --pulled--> scheduler --feed_records--> shard of the queue
//                          ^------ records_fed ------/   (after the commit)
//
// Operators ask the shard of the scheduler, which passes that on to the
// scheduler.

#include "messages/message.hpp"
#include "messages/values/control.hpp"
#include "messages/values/sources.hpp"
#include "messages/values/types.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

// -- to the shard of the queue ------------------------------------------------

/// Records of one source for a queue of kind message, in their order. At most
/// `feed_records_max`. A repeat does no harm: what was taken is known.
/// `ec::stale_claim`: the source is an earlier one of its name.
struct feed_records {
  struct one {
    std::string key;
    std::string user;
    std::string body;
    bool by_hand = false; ///< a new item, whatever is known of the key
  };
  std::string queue;
  std::string source;
  micros made_us = never;      ///< of the source
  std::uint64_t known_max = 0; ///< of keys that are over
  std::vector<one> records;
  std::vector<bad_record> bad; ///< to be kept
};
inline constexpr std::size_t feed_records_max = 10'000;
inline constexpr std::size_t feed_bytes_max = 16 * 1024 * 1024;
DEPOSITD_FIELDS(feed_records::one, key, user, body, by_hand);
DEPOSITD_MESSAGE(134, feed_records, queue, source, made_us, known_max, records,
                 bad);

/// All of it is durable. By position: what was known of the record before;
/// `unknown`: its item is new. `finished` and `failed` are over.
struct records_fed {
  std::vector<record_state> was;
};
DEPOSITD_MESSAGE(135, records_fed, was);

/// How much is left in a queue.
struct measure_queue {
  std::string queue;
  std::vector<std::string> users; ///< of whom it is asked, too
};
DEPOSITD_MESSAGE(136, measure_queue, queue, users);

struct queue_measured {
  std::uint64_t left = 0; ///< pending, claimed and delayed; not parked ones
  /// By position: records of sources of these users that live in the queue.
  std::vector<std::uint64_t> of_users;
};
DEPOSITD_MESSAGE(137, queue_measured, left, of_users);

/// What is known of a source where its records are.
struct count_records {
  std::string queue;
  std::string source;
  micros made_us = never;
};
DEPOSITD_MESSAGE(138, count_records, queue, source, made_us);

struct records_counted {
  std::uint64_t queued = 0; ///< live and not claimed
  std::uint64_t claimed = 0;
  std::uint64_t finished = 0;   ///< since the source was made
  std::uint64_t failed = 0;     ///< likewise
  std::uint64_t remembered = 0; ///< keys that are over
};
DEPOSITD_FIELDS(records_counted, queued, claimed, finished, failed, remembered);
DEPOSITD_NUMBER(139, records_counted);

/// What became of one record.
struct look_up_record {
  std::string queue;
  std::string source;
  micros made_us = never;
  std::string key;
};
DEPOSITD_MESSAGE(140, look_up_record, queue, source, made_us, key);

/// Durable when it is answered.
struct record_found {
  record_state state = record_state::unknown;
  std::string user;
  item_id id = 0; ///< 0: it has no item, or not any more
  std::uint32_t attempt = 0;
};
DEPOSITD_MESSAGE(141, record_found, state, user, id, attempt);

// -- to the shard of a scheduler, for operators -------------------------------

/// Schedulers with their sources, and how they do. Empty: all of the shard.
struct report_schedulers {
  std::string scheduler;
};
DEPOSITD_MESSAGE(142, report_schedulers, scheduler);

struct source_report {
  std::string name;
  source_settings settings;
  micros made_us = never;
  source_state state = source_state::running;
  std::uint64_t buffer = 0;
  bool replenishing = false;
  std::uint64_t replenishes = 0;
  std::uint64_t replenish_ms_last = 0;
  std::uint64_t replenish_records_last = 0;
  std::uint64_t failures = 0; ///< in a row
  std::string error;          ///< empty: none
  micros error_us = never;
  bool has_cursor = false;
  std::string cursor;
  double rate = 0; ///< records fed per second
  bool has_total = false;
  std::uint64_t total = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t bad = 0;
  std::string bad_last;    ///< empty: none yet
  records_counted records; ///< where its items are
};
DEPOSITD_FIELDS(source_report, name, settings, made_us, state, buffer,
                replenishing, replenishes, replenish_ms_last,
                replenish_records_last, failures, error, error_us, has_cursor,
                cursor, rate, has_total, total, duplicates, bad, bad_last,
                records);

struct scheduler_report {
  std::string name;
  scheduler_settings settings;
  scheduler_state state = scheduler_state::feeding;
  std::uint64_t left = 0;
  std::uint64_t fed = 0;              ///< items made since it started here
  double rate = 0;                    ///< of them per second
  std::vector<source_report> sources; ///< by name
};
DEPOSITD_FIELDS(scheduler_report, name, settings, state, left, fed, rate,
                sources);

/// By name.
struct schedulers_reported {
  std::vector<scheduler_report> schedulers;
};
DEPOSITD_MESSAGE(143, schedulers_reported, schedulers);

/// One record of a source, wherever it is. Answered by `record_found`;
/// `ec::not_found`: no such source.
struct find_record {
  std::string scheduler;
  std::string source;
  std::string key;
};
DEPOSITD_MESSAGE(144, find_record, scheduler, source, key);

/// What would be picked now. `ec::bad_setting`: the text is no strategy.
struct explain_strategy {
  std::string scheduler;
  std::string strategy; ///< empty: that which is in force
  std::uint32_t picks = 10;
};
DEPOSITD_MESSAGE(145, explain_strategy, scheduler, strategy, picks);

struct strategy_explained {
  struct source {
    std::string name;
    std::uint64_t buffer = 0;
  };
  std::string strategy; ///< in its usual spelling
  std::string next;     ///< empty: none has any
  std::string why;
  std::vector<std::string> picks;
  std::vector<source> sources;
};
DEPOSITD_FIELDS(strategy_explained::source, name, buffer);
DEPOSITD_MESSAGE(146, strategy_explained, strategy, next, why, picks, sources);

/// Reads one batch and changes nothing. `ec::not_found`: no such source;
/// `ec::invalid_argument`: reading it would change something there.
struct test_source {
  static constexpr bool takes_long = true;
  std::string scheduler;
  std::string source;
  std::uint32_t limit = 10;
};
DEPOSITD_MESSAGE(147, test_source, scheduler, source, limit);

struct source_tested {
  std::vector<pulled_record> records;
  std::vector<bad_record> bad;
  std::string error; ///< of the whole batch; empty: none
};
DEPOSITD_MESSAGE(148, source_tested, records, bad, error);

/// Bodies that an operator has edited, as new records whatever is known of
/// their keys. At most `feed_records_max`. Answered when all are durable.
struct feed_by_hand {
  std::string scheduler;
  std::string source;
  std::vector<pulled_record> records; ///< an empty user: as of the source
};
DEPOSITD_MESSAGE(149, feed_by_hand, scheduler, source, records);

struct fed_by_hand {
  std::uint64_t fed = 0;
  std::vector<bad_record> bad; ///< and why
};
DEPOSITD_MESSAGE(150, fed_by_hand, fed, bad);

// -- inside an engine ---------------------------------------------------------

/// To a source's actor.
struct pull_records {
  std::uint64_t number = 0; ///< of the replenish
  std::uint64_t limit = 0;
  std::string cursor;
  std::uint64_t timeout_ms = 0;
};
DEPOSITD_LOCAL(pull_records);

struct records_pulled {
  std::uint64_t number = 0;
  pulled_batch batch;
};
DEPOSITD_LOCAL(records_pulled);

struct tell_applied {
  std::vector<std::string> keys;
};
DEPOSITD_LOCAL(tell_applied);

struct read_gauge {
  std::uint64_t timeout_ms = 0;
};
DEPOSITD_LOCAL(read_gauge);

struct gauge_read {
  std::uint64_t left = 0;
};
DEPOSITD_LOCAL(gauge_read);

/// Who has the schedulers of this shard: what operators ask of them goes there.
/// Null: nobody any more.
struct meet_schedulers {
  caf::strong_actor_ptr who; ///< a schedulers_actor
};
DEPOSITD_LOCAL(meet_schedulers);

/// From a user's actor to its shard: what happened to its records, ahead of the
/// commit.
struct records_moved {
  struct claims {
    std::string source;
    micros made_us = never;
    std::int32_t change = 0;
  };
  struct one {
    std::string source;
    micros made_us = never;
    std::string key;
    item_id id = 0;
    bool failed = false;
  };
  std::string user;
  std::string queue;
  std::vector<claims> claimed;
  std::vector<one> ended;
  std::int64_t moved = 0; ///< came from another queue, or went (negative)
};
DEPOSITD_LOCAL(records_moved);

/// Up to where records of a source are applied, from its scheduler to its own
/// shard, which journals it. Answered when it is durable.
struct keep_position {
  source_read what;
};
DEPOSITD_LOCAL(keep_position);

} // namespace depositd
