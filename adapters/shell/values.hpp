#pragma once

// The words given for an argument as what travels.

#include "messages/values/command_table.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace depositd::shell {

/// A number as people write it. Throws CLI::ValidationError.
nlohmann::json read_number(const std::string& spelling,
                           const std::string& text);

/// The value of an argument that was given, with a text at least unless it is
/// a flag. Throws CLI::ValidationError.
nlohmann::json read_value(const argument_spec& argument,
                          const std::vector<std::string>& texts);

} // namespace depositd::shell
