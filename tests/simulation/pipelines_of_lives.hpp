#pragma once

// What lives with batches have of pipelines and collections.

#include "messages/values/events.hpp"

#include <string>
#include <vector>

namespace depositd::simulation {

/// Names of all stages that there may be, but those of batches.
std::vector<std::string> stages_of_changes();

/// As it is to begin with.
collection_changed collection_as_set(const std::string& name, bool held);

} // namespace depositd::simulation
