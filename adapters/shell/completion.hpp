#pragma once

// What the tab key offers.

#include "adapters/shell/session.hpp"

#include <string>
#include <vector>

namespace depositd::shell {

/// Where names of the engine come from.
struct known_names {
  std::vector<std::string> queues;
  std::vector<std::string> users;
  std::vector<std::string> processors;
};

/// Everything that the last, unfinished word of the line could become, sorted.
/// Lists of users are completed after each comma.
std::vector<std::string> completions(const std::string& line,
                                     const known_names& names);

/// What all of them begin with.
std::string common_start(const std::vector<std::string>& words);

/// The names that completing this line needs, asked from the engine.
known_names fetch_names(session& from, const std::string& line);

} // namespace depositd::shell
