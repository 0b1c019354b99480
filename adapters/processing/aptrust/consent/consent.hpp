#pragma once

// Whether those who agreed on a deletion agreed on what there is now. Pure.

#include "messages/ports/inventory.hpp"
#include "messages/values/control.hpp"
#include "messages/values/orders.hpp"

#include <optional>
#include <string>
#include <vector>

namespace depositd::aptrust {

/// Why an object is not deleted, and what becomes of the job.
struct deletion_refused {
  verdict says = verdict::failed;
  std::string why;
};

/// Nothing: all who have to have agreed, and on all that is there. `control` is
/// what is set, as far as it is known here; null: not at all. `versions` are
/// those that the inventory has of the object.
std::optional<deletion_refused>
refusal_of(const preservation_order& order, const std::string& user,
           const control_state* control,
           const std::vector<inventory_version>& versions);

} // namespace depositd::aptrust
