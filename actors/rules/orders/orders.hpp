#pragma once

// When an order may come: not while another one works on the same.

#include "actors/rules/work/work.hpp"

#include <string>

namespace depositd::rules {

/// Why the batch, which is an order, cannot come now: its user has another that
/// is not finished, or this very one, whatever has become of it. Empty: it may
/// come. As long as the user has batches.
std::string order_refusal(const work& of, const batch_info& wanted);

} // namespace depositd::rules
