#pragma once

// What happens to records of sources. A record that is taken becomes an item;
// where that item's queue is, its key is known from then on. See decision 0042.

#include "messages/values/fields.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// The item with this number, which came before in the same record, is a record
/// of a source. A key that comes again by hand replaces what was known of it.
struct record_taken {
  item_id id = 0;
  std::string queue;
  std::string source;
  micros made_us = never; ///< the source, which tells it from later ones
  std::string key;

  friend bool operator==(const record_taken&, const record_taken&) = default;
};
DEPOSITD_FIELDS(record_taken, id, queue, source, made_us, key);

/// The record's item leaves its queue in the same record of the journal, behind
/// this event.
struct record_ended {
  item_id id = 0;
  std::string queue;
  std::string source;
  micros made_us = never;
  std::string key;
  bool failed = false; ///< false: finished, or purged
  micros ended_us = never;
  std::string reason;

  friend bool operator==(const record_ended&, const record_ended&) = default;
};
DEPOSITD_FIELDS(record_ended, id, queue, source, made_us, key, failed, ended_us,
                reason);

/// A bad record, which was passed over: kept for who looks after failed ones.
struct record_refused {
  std::string queue;
  std::string source;
  micros made_us = never;
  std::string key; ///< empty: it has none
  std::string user;
  std::string reason;
  std::string body;         ///< cut at `refused_body_bytes_max`
  std::uint64_t digest = 0; ///< of all of it; never 0
  micros refused_us = never;

  friend bool operator==(const record_refused&,
                         const record_refused&) = default;
};
DEPOSITD_FIELDS(record_refused, queue, source, made_us, key, user, reason, body,
                digest, refused_us);

inline constexpr std::size_t refused_body_bytes_max = 64 * 1024;

/// What is remembered of these is remembered no longer.
struct records_forgotten {
  std::string source;
  micros made_us = never;
  bool all = false;                   ///< the source is no more
  std::vector<std::string> keys;      ///< that are over
  std::vector<std::uint64_t> refused; ///< digests of bad ones

  friend bool operator==(const records_forgotten&,
                         const records_forgotten&) = default;
};
DEPOSITD_FIELDS(records_forgotten, source, made_us, all, keys, refused);

/// What a user has spent in a queue that is fair by cost, in the ring's unit:
/// after a claim that came before in the same record, or after its end.
struct ring_paid {
  std::string queue;
  std::uint64_t spent = 0;
  std::uint64_t floor = 0; ///< where the ring stood at the last pick
  std::uint64_t since = 0; ///< as in `fairness_changed`; of another: nothing

  friend bool operator==(const ring_paid&, const ring_paid&) = default;
};
DEPOSITD_FIELDS(ring_paid, queue, spent, floor, since);

} // namespace depositd
