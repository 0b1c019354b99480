#pragma once

// The loop that reads commands, from a person or from a script.

#include "adapters/shell/session.hpp"

#include <filesystem>
#include <string>

namespace depositd::shell {

/// Reads lines until the end or `quit`. Returns 0, or the code of the last
/// command that failed.
int run_script(session& with);

/// The same with line editing, completion and history.
int run_prompt(session& with, const std::string& greeting);

/// Runs one line. Sets `quit` if it says so.
int run_line(session& with, const std::string& line, bool& quit);

/// Where lines are remembered: $XDG_STATE_HOME/depositctl/history, or below
/// ~/.local/state. Empty if there is no home.
std::filesystem::path history_file();

} // namespace depositd::shell
