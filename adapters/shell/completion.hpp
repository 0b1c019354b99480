#pragma once

// What the tab key offers.

#include "adapters/shell/session.hpp"

#include <map>
#include <string>
#include <vector>

namespace depositd::shell {

/// Names of the engine, by the command that lists them.
using known_names = std::map<std::string, std::vector<std::string>>;

/// Everything that the last, unfinished word of the line could become, sorted.
/// Lists of users are completed after each comma.
std::vector<std::string> completions(const command_table& commands,
                                     const std::string& line,
                                     const known_names& names);

/// What all of them begin with.
std::string common_start(const std::vector<std::string>& words);

/// The names that completing this line needs, asked from the engine.
known_names fetch_names(session& from, const std::string& line);

} // namespace depositd::shell
