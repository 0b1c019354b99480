#pragma once

// What operators see of slots.

#include "messages/processors.hpp"

#include <vector>

namespace depositd::processors {

/// Slots of a stage share threads, so that one of them may have in work what
/// another has a thread for: as many as have a thread are busy, each with one
/// item.
void spread_over_slots(std::vector<slots_report::entry>& rows);

} // namespace depositd::processors
