#pragma once

// How log lines are written.

#include "config/settings.hpp"

#include <spdlog/formatter.h>

#include <memory>

namespace depositd {

/// One JSON object a line: ts, level, logger, message; and trace, where the
/// message says one as " trace=...".
std::unique_ptr<spdlog::formatter> make_json_formatter();

/// A line for each event: time, level, message, as `log_line` has it.
std::unique_ptr<spdlog::formatter> make_text_formatter();

/// Lines go to standard error from now on, and nothing waits for its reader.
void start_log(const log_settings& settings);

} // namespace depositd
