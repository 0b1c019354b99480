#include "adapters/doors/operations/page.hpp"

#include <embedded/operators_page.hpp>

namespace depositd {

void add_page_routes(http::router& routes) {
  http::add_page_files(routes, "/", "/page", operators_page(),
                       http::refusal(404, "There is no such page."));
}

} // namespace depositd
