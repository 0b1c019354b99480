#pragma once

// Where one user stands, without a look at all the others: there may be a
// million of them.

#include "messages/operators.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace depositd::operators {

/// Asks for the user's place in every queue, which may be in every shard.
inline show_rings places_of(const std::string& user) {
  constexpr std::uint32_t shards_max = 256;
  return {"", user, shards_max};
}

/// What is answered to that, as it is listed of all users.
inline users_listed places_in(const rings_shown& x) {
  users_listed out;
  for (const auto& ring : x.rings) {
    members_report report{ring.queue, {}};
    for (const auto* part : {&ring.in_turn, &ring.out_of_turn})
      report.entries.insert(report.entries.end(), part->begin(), part->end());
    out.queues.push_back(std::move(report));
  }
  return out;
}

} // namespace depositd::operators
