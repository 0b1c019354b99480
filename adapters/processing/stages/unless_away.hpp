#pragma once

// Bodies that a store of blobs does not give.

#include "adapters/processing/stages/stage_tools.hpp"

#include <cstdint>
#include <utility>

namespace depositd::stages {

/// How an item ends whose bytes the store does not give for that reason. One
/// that is away has lost none of them: they are asked for again, however long
/// that lasts, and it costs no attempt.
inline outcome unless_away(const caf::error& why, outcome otherwise) {
  // Not sooner: each attempt takes a slot for some seconds.
  constexpr std::uint32_t store_away_delay_ms = 10'000;
  if (why != ec::store_failed)
    return otherwise;
  auto out = ended(verdict::not_yet, std::move(otherwise.reason));
  out.delay_ms = store_away_delay_ms;
  return out;
}

} // namespace depositd::stages
