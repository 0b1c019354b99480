#pragma once

// What the metrics tell of passwords, tokens and keys that were not taken.

#include "messages/values/tallies.hpp"

#include <string>

namespace depositd::testing {

/// How many were counted under this reason since the process began.
inline double failed_logins(const std::string& reason) {
  double out = 0;
  for (const auto& x : tallies(tally_of::login_failed))
    if (x.first == reason)
      out += x.value;
  return out;
}

} // namespace depositd::testing
