#pragma once

#include <string>

namespace depositd {

/// A random UUID (RFC 9562, version 4) in lower case.
std::string random_uuid();

} // namespace depositd
