#pragma once

// What recovery leaves to a shard: the state as it was at the last commit.

#include "actors/rules/ledger/ledger.hpp"
#include "actors/rules/work/work.hpp"
#include "actors/shard/feeding/recovered_records.hpp"
#include "messages/ports/projection_store.hpp"
#include "messages/values/control.hpp"

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace depositd::shard {

/// Where a user stood in the ring of a queue.
struct ring_place {
  std::uint64_t stamp = 0;
  std::uint32_t credit = 0;
  cost_sum paid;           ///< of a queue that is fair by cost ...
  std::uint64_t since = 0; ///< ... under these terms

  friend bool operator==(const ring_place&, const ring_place&) = default;
};

/// By {queue, user}.
using ring_places = std::map<std::pair<std::string, std::string>, ring_place>;

/// Everything a shard starts from.
struct recovered_state {
  control_state control;

  /// By user, then queue name. Queues are configured with their settings.
  std::map<std::string, std::map<std::string, rules::ledger>> ledgers;

  /// By user, of those who have batches or jobs whose items live.
  std::map<std::string, rules::work> work;

  /// Also of users without items.
  ring_places rings;

  /// Of sources.
  recovered_records records;

  /// Highest item id ever given.
  item_id id_max = 0;

  /// Of ingress partitions, and of what was published.
  std::map<std::string, std::int64_t> watermarks;

  /// Deposits that came from logs of records lately, oldest first; batches
  /// among them by `rules::id_of` and `size_of`.
  std::vector<projection_store::received_row> ingested;

  /// How far the tables were, and how far the journal.
  sequence projected = 0;
  sequence journalled = 0;

  /// When recovery began, by the clock of actors.
  std::chrono::steady_clock::time_point asked_at;
};

/// What is known of the ids of submissions from logs of records is known for
/// seven days.
inline constexpr micros ingest_ids_kept_us = micros{7} * 24 * 3600 * 1'000'000;

} // namespace depositd::shard
