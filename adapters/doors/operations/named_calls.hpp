#pragma once

// Commands of sources and schedulers below their names, in the description of
// the API: /api/v1/sources/{name}/pause is /api/v1/source/pause.

#include <nlohmann/json_fwd.hpp>

namespace depositd {

/// Adds them to the paths of an OpenAPI document that has the commands.
void add_named_calls(nlohmann::ordered_json& paths);

} // namespace depositd
