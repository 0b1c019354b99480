#pragma once

// When an order may come: not while another one works on the same.

#include "actors/rules/work/work.hpp"

#include <string>

namespace depositd::rules {

/// Whether something of the batch is still to be done, or may yet be.
bool is_unfinished(const batch_status& status, const job_counts& jobs);

/// Whether these two must not be there at one time: orders of one object or of
/// one of its files; of fixity checks only those among each other. An order
/// that follows from the other does not meet it.
bool orders_meet(const batch_info& is, const batch_info& wanted);

/// Why the batch, which is an order, cannot come now: its user has another that
/// is not finished, or this very one, whatever has become of it. Empty: it may
/// come. As long as the user has batches.
std::string order_refusal(const work& of, const batch_info& wanted);

} // namespace depositd::rules
