#pragma once

// Stages whose work is a program of somebody else's.

#include "adapters/processing/exec/program_groups.hpp"
#include "adapters/processing/stages/stage_tools.hpp"

#include <filesystem>
#include <memory>

namespace depositd::exec {

/// What a program says by how it exits. Every other code is fatal.
inline constexpr int exit_done = 0;
inline constexpr int exit_skip = 3;
inline constexpr int exit_not_yet = 4;
inline constexpr int exit_rejected = 5;
inline constexpr int exit_again = 75; ///< EX_TEMPFAIL

/// Of what a program prints: a JSON object.
inline constexpr std::size_t output_bytes_max = std::size_t{64} * 1024;

/// The item as such a program reads it.
std::string item_text(const stages::stage_task& x);

/// A handler for all stages that are programs. They start in `work_folder`,
/// and are in `groups` while they run, unless that is null.
stages::stage_handler
make_exec_handler(std::filesystem::path work_folder,
                  std::shared_ptr<program_groups> groups = nullptr);

} // namespace depositd::exec
