#pragma once

// Why an item is not being processed yet. Pure function.

#include "actors/operators/documents.hpp"

namespace depositd::operators {

/// The answer to `why ID`: every reason that applies, the strongest first, or
/// the turn of its user. `x.live` must be set.
document why_document(const item_explained& x);

/// The same for a submission that is no longer in a queue.
document why_finished_document(const submission_row& x);

} // namespace depositd::operators
