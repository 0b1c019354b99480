#pragma once

// What is asked of the inventory for operators, who must not wait for its disk
// on CAF's threads.

#include "messages/message.hpp"
#include "messages/ports/inventory.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// Objects that any of the searches finds, each once, in the order of the
/// searches; not more than so many.
struct find_objects {
  std::vector<inventory_search> any;
  std::uint32_t count_max = 100;
};
DEPOSITD_LOCAL(find_objects);

struct objects_found {
  std::vector<inventory_object> objects;
};
DEPOSITD_LOCAL(objects_found);

/// Of one version (0: the last). `ec::not_found`.
struct list_object_files {
  std::string identifier;
  std::uint32_t version = 0;
};
DEPOSITD_LOCAL(list_object_files);

struct object_files_listed {
  std::vector<stored_file> files;
};
DEPOSITD_LOCAL(object_files_listed);

struct measure_collections {
  micros since_us = never;
};
DEPOSITD_LOCAL(measure_collections);

struct collections_measured {
  std::vector<collection_use> use;
};
DEPOSITD_LOCAL(collections_measured);

/// What was recorded from one time until before another.
struct measure_recorded {
  micros from_us = never;
  micros until_us = never;
  std::uint32_t count_max = 0;
};
DEPOSITD_LOCAL(measure_recorded);

struct recorded_measured {
  std::vector<recorded_use> use;
};
DEPOSITD_LOCAL(recorded_measured);

} // namespace depositd
