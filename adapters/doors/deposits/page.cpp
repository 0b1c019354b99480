#include "adapters/doors/deposits/answers.hpp"
#include "adapters/doors/deposits/door.hpp"
#include "adapters/doors/http/page_files.hpp"

#include <embedded/deposits_page.hpp>

namespace depositd::deposits {

void add_page_routes(http::router& routes) {
  http::add_page_files(
    routes, "/deposits", "/deposits/page", deposits_page(),
    refusal(404, "not_found", "There is no such file of the page."));
}

} // namespace depositd::deposits
