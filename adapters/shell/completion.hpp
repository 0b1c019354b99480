#pragma once

// What the tab key offers.

#include "messages/values/command_table.hpp"

#include <functional>
#include <string>
#include <vector>

namespace depositd::shell {

/// What the engine lists at this command.
using names_function =
  std::function<std::vector<std::string>(const std::string& command)>;

/// Everything that the last, unfinished word of the line could become, sorted.
/// Lists of users are completed after each comma.
std::vector<std::string> completions(const command_table& commands,
                                     const std::string& line,
                                     const names_function& names);

/// What all of them begin with.
std::string common_start(const std::vector<std::string>& words);

} // namespace depositd::shell
