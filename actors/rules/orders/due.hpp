#pragma once

// What becomes of what is due: which batches, under which names. Pure.

#include "messages/values/fixity.hpp"
#include "messages/values/orders.hpp"
#include "messages/values/reconcilers.hpp"

#include <string>
#include <vector>

namespace depositd::rules {

/// The orders of one user's collection in one run. All of them come, or none.
struct due_orders {
  std::string user;
  std::string collection;
  std::vector<new_order> orders; ///< never empty
  std::uint64_t files = 0;
};

/// Bytes of the files in one batch's document, about.
inline constexpr std::size_t due_bytes_max = 192 * 1024;

/// Files that are due, as orders: by owner and collection, the oldest first.
std::vector<due_orders> fixity_orders(const std::vector<checked_file>& files,
                                      const reconciler_settings& of,
                                      micros now);

due_orders spot_order(const spot_candidate& x, const reconciler_settings& of,
                      micros now);

/// What an approved request for deletion becomes; one of each target.
std::vector<due_orders> deletion_orders(const deletion_changed& x, micros now);

} // namespace depositd::rules
