#pragma once

// How much of what processors say is written down. They may be of others, and
// no handler knows what a journal takes.

#include "messages/values/types.hpp"

#include <cstddef>

namespace depositd::rules {

/// Of one outcome: far below what one group of any journal takes.
inline constexpr std::size_t outcome_bytes_max = std::size_t{32} << 20;

/// Of all that end together. Beyond it the next ones go by themselves.
inline constexpr std::size_t outcomes_bytes_max = std::size_t{64} << 20;

std::size_t bytes_of(const outcome& x);

/// An outcome of more bytes fails its item, and says so instead.
void keep_within_bounds(outcome& x);

} // namespace depositd::rules
