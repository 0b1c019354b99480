#pragma once

// A login as pages send it.

#include <optional>
#include <string>
#include <string_view>

namespace depositd::kit {

struct login_document {
  std::string name;
  std::string password;
};

/// {"name": ..., "password": ...}, whatever else stands there. Nothing if it is
/// something else, or has one of the two twice: who stands in between may have
/// read the other one.
std::optional<login_document> read_login_document(std::string_view text);

} // namespace depositd::kit
