#pragma once

#include "messages/values/command_table.hpp"

#include <string>

namespace depositd {

/// The API of operators as OpenAPI 3.1, made from the table of commands.
std::string openapi_text(const command_table& table,
                         const std::string& version);

} // namespace depositd
