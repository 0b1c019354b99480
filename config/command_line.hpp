#pragma once

// depositd [--config FILE] [--data DIR] [--set KEY=VALUE]...
//          [--processors-only --join HOST:PORT] [--demo]
// depositd check DIR [--blobs-elsewhere]

#include "config/data_check.hpp"
#include "config/settings.hpp"

#include <optional>
#include <string>

namespace depositd {

/// What the command line asks for: settings to start with, or a text to print
/// and the code to exit with (0: standard output, else standard error).
struct command_line {
  std::optional<depositd_settings> settings;
  /// The engine to run processors for, instead of being one.
  std::optional<endpoint> join;
  /// A folder to judge, instead of being an engine.
  std::optional<data_check_options> check;
  bool demo = false;            ///< with sample users and deposits
  bool has_data_folder = false; ///< somebody named one
  int exit_code = 0;
  std::string text;
};

/// Reads the file that is named, then `--set` in order, then `--data`.
command_line read_command_line(int argc, const char* const* argv,
                               const std::string& version);

} // namespace depositd
