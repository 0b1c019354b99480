#pragma once

// What is asked of the inventory for operators, who must not wait for its disk
// on CAF's threads; the rest of it is asked as nodes do.

#include "messages/stores.hpp"
#include "messages/values/fixity.hpp"

#include <cstdint>
#include <vector>

namespace depositd {

/// Objects that any of the searches finds, each once, in the order of the
/// searches; not more than so many.
struct search_objects {
  std::vector<inventory_search> any;
  std::uint32_t count_max = 100;
};
DEPOSITD_LOCAL(search_objects);

/// Files by when they were compared last.
struct find_checks {
  fixity_query what;
};
DEPOSITD_LOCAL(find_checks);

struct checks_found {
  std::vector<checked_file> files;
};
DEPOSITD_LOCAL(checks_found);

} // namespace depositd
