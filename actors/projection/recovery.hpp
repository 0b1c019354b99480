#pragma once

// Recovery: tables + the tail of the journal = the state at the last commit.

#include "actors/shard/recovered_state.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/ports/projection_store.hpp"

#include <memory>
#include <vector>

namespace depositd::projection {

/// Reads both stores; ids of deposits since `ids_since_us`. `ec::store_damaged`
/// names what cannot be read. Adds to `places`, if given, where the bodies are
/// of the items in the tables.
caf::expected<std::unique_ptr<shard::recovered_state>>
recover_state(journal_store& journal, projection_store& projection,
              micros ids_since_us = 0,
              std::vector<body_location>* places = nullptr);

/// Applies one record, live or replayed, to a state under recovery.
void apply_record(shard::recovered_state& state, const record& x);

} // namespace depositd::projection
