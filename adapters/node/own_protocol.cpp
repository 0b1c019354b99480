#include "adapters/node/own_protocol.hpp"

#include "messages/values/claimed_version.hpp"
#include "messages/values/node_options.hpp"
// Compiled again for programs that tests reach into.
#include "messages/values/test_points.hpp"

namespace depositd::node {

std::string own_protocol() {
  return claimed("DEPOSITD_CLAIM_PROTOCOL", node_protocol);
}

} // namespace depositd::node
