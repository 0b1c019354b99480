#pragma once

// Documents of the engine as text for people, by the views it publishes.

#include "messages/values/command_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace depositd::shell {

/// Lines for the answer to a command. Whatever the document looks like, this
/// prints something and never anything a terminal obeys.
std::string rendered(const std::vector<view_block>& view,
                     const std::string& document);

/// The text of the view's block of a file, if the document has it: as it is, so
/// no terminal should get it.
std::optional<std::string> file_in(const std::vector<view_block>& view,
                                   const std::string& document);

/// The view but for such blocks.
std::vector<view_block> without_files(std::vector<view_block> view);

/// What the first column of the first table says in each row.
std::vector<std::string> first_column(const std::vector<view_block>& view,
                                      const std::string& document);

} // namespace depositd::shell
