#pragma once

// Objects as people name them.

#include "messages/ports/inventory.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace depositd::operators {

/// An ARK is kept with the slash after "ark:", which need not be written: what
/// to look for, any of which may be it, and last how it would be kept.
inline std::vector<inventory_search> as_kept(const std::string& identifier) {
  constexpr std::string_view scheme = "ark:";
  std::vector<inventory_search> out{{.identifier = identifier}};
  if (identifier.starts_with(scheme) && !identifier.starts_with("ark:/"))
    out.push_back({.identifier = "ark:/" + identifier.substr(scheme.size())});
  return out;
}

} // namespace depositd::operators
