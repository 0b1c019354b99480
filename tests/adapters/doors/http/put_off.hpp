#pragma once

// Which answers leave memory to others while nobody reads them.

#include "adapters/doors/http/router.hpp"

#include <string>
#include <vector>

namespace depositd::testing {

/// Names of the GETs whose long answers are kept whatever others need.
inline std::vector<std::string> never_put_off(const http::router& routes) {
  std::vector<std::string> out;
  for (const auto* x : routes.all())
    if (x->name.starts_with("GET ") && !x->options.repeatable)
      out.push_back(x->name);
  return out;
}

} // namespace depositd::testing
