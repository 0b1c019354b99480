#pragma once

// What the rules of skipping.hpp need to know of the world.

#include "adapters/processing/aptrust/ingest/bag_in_hand.hpp"

namespace depositd::aptrust {

/// Unfinished ingests of the same object.
struct ingests_beside {
  bool older = false;
  bool newer = false;
};

/// Asks the read model. The read model's error if it does not answer.
caf::expected<ingests_beside> other_ingests(const bag_in_hand& x);

/// All facts of an item that a stage was given; asks no more than the rules
/// need there. What is wrong with the receiving place is no error: then nothing
/// is known of the bag.
caf::expected<skip_facts> facts_of(const bag_in_hand& x);

/// What a later bag of the same object waits for.
std::string turn_of(const bag_in_hand& x);

/// What an ingestion event says of the bag that was ingested.
std::string etag_text(const std::string& etag);

} // namespace depositd::aptrust
