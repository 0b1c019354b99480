#pragma once

// What was probably meant.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace depositd::shell {

/// The first of the words that the tree has no place for, by name, with what
/// comes nearest to it; empty if each has its place.
std::string unknown_word(const CLI::App& tree,
                         const std::vector<std::string>& words);

/// The subcommand of this name, or null.
const CLI::App* subcommand(const CLI::App& tree, const std::string& name);

/// Whether the option eats the word after it.
bool takes_value(const CLI::Option& option);

} // namespace depositd::shell
