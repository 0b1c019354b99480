#pragma once

// Which of our protocols this program speaks at the node port.

#include <string>

namespace depositd::node {

/// `node_protocol`; in tests, what one of another version would say.
std::string own_protocol();

} // namespace depositd::node
