#pragma once

// Why an item is not being processed yet. Pure function.

#include "actors/operators/documents.hpp"

namespace depositd::operators {

/// Nobody here runs what not everybody may run.
inline constexpr const char* no_processor_on_node = "no_processor_on_node";

/// The answer to `why ID`: every reason that applies, the strongest first, or
/// the turn of its user. `x.live` must be set.
document why_document(const item_explained& x, const control_state& state);

/// The same for a submission that is no longer in a queue.
document why_finished_document(const submission_row& x);

/// Why a user has no turn, as texts; none for one who has.
document why_not_texts(const std::string& user,
                       const eligibility_report& report);

} // namespace depositd::operators
