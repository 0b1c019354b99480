#pragma once

// How sources and schedulers do, for scripts: what commands that read answer,
// at paths that name things.

#include "adapters/doors/operations/api.hpp"

namespace depositd {

/// GET|HEAD below /api/v1/sources and /api/v1/schedulers; `open`: without a
/// login, too.
void add_source_routes(http::router& routes, const api_door_actor& whom,
                       bool open);

} // namespace depositd
