#pragma once

// What of the journal is to be published. Private to actors/records.

#include "actors/records/publisher.hpp"

#include <vector>

namespace depositd::records {

/// Reads on behind the cursor. The errors of the store: `ec::not_found` if what
/// comes next was dropped.
caf::expected<publication> gather(publisher_state& state);

/// The jobs in it, and the batches that they and others are of, each once.
std::vector<item_id> jobs_of(const publication& x);
std::vector<item_id> batches_of(const publication& x);

/// What the read model says of them. How they have ended stays as it is.
void fill_in(publication& x, const std::vector<job_row>& rows);
void fill_in(publication& x, const std::vector<batch_row>& rows);

} // namespace depositd::records
