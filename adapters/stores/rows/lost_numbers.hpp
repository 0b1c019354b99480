#pragma once

// Numbers that were given, and of which the tables have not heard.

#include "messages/values/types.hpp"

namespace depositd::rows {

/// So many items of a shard may be numbered after a copy was made, or by a
/// server that another one, which was behind, took over from: whoever goes on
/// from there passes over so many, so that none is given twice.
inline constexpr item_id lost_numbers_max = 1'000'000;

} // namespace depositd::rows
