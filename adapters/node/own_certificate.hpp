#pragma once

// What an engine's own certificate says of it.

#include "messages/values/errors.hpp"

#include <string>

namespace depositd::node {

struct own_certificate {
  std::string name;        ///< its common name; may be empty
  std::string fingerprint; ///< SHA-256, 64 of 0-9 a-f
};

/// The first certificate of a file in PEM form. `ec::bad_setting`.
caf::expected<own_certificate> read_own_certificate(const std::string& file);

} // namespace depositd::node
