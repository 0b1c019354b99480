#pragma once

// What recovery leaves to a shard: the state as it was at the last commit.

#include "actors/rules/ledger/ledger.hpp"
#include "actors/rules/work/work.hpp"
#include "messages/ports/projection_store.hpp"
#include "messages/values/control.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace depositd::shard {

/// Everything a shard starts from.
struct recovered_state {
  control_state control;

  /// By user, then queue name. Queues are configured with their settings.
  std::map<std::string, std::map<std::string, rules::ledger>> ledgers;

  /// By user, of those who have batches or jobs whose items live.
  std::map<std::string, rules::work> work;

  /// Where users stood in rings, by {queue, user}; also of users without items.
  std::map<std::pair<std::string, std::string>,
           std::pair<std::uint64_t, std::uint32_t>>
    rings;

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
};

/// What is known of the ids of submissions from logs of records is known for
/// seven days.
inline constexpr micros ingest_ids_kept_us = micros{7} * 24 * 3600 * 1'000'000;

} // namespace depositd::shard
