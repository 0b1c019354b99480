#pragma once

// The operators' page: files that are part of the program. All they know comes
// from the API that scripts have, too.

#include "adapters/doors/http/router.hpp"

namespace depositd {

/// GET|HEAD / and /page/FILE. Open without a login: nothing is told in them.
void add_page_routes(http::router& routes);

} // namespace depositd
