#pragma once

// Another program, run to its end within limits.

#include "adapters/processing/exec/program_groups.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::exec {

struct program_request {
  /// The program and its arguments. A name without '/' is looked for in the
  /// folders of the system's programs.
  std::vector<std::string> command;
  std::string input;                    ///< its standard input
  std::vector<std::string> environment; ///< "NAME=VALUE", and nothing else
  std::filesystem::path folder = "/";   ///< that it starts in
  std::chrono::milliseconds time_limit{3'600'000};
  std::size_t output_max = std::size_t{64} * 1024; ///< bytes
  std::size_t complaints_max = 4'096; ///< of standard error the last so many
  /// Takes what it prints as it comes, in place of `program_ending::output` and
  /// its limit; false: that is too much.
  std::function<bool(std::string_view)> take_output;
  /// A descriptor: once it can be read, the program is stopped. -1: none.
  int stop = -1;
  /// That it is in while it runs; null: in none. Outlives the call.
  program_groups* groups = nullptr;
};

enum class program_end : std::uint8_t {
  exited,
  killed,   ///< by a signal that did not come from here
  too_slow, ///< and was killed
  too_much, ///< was printed: likewise
  stopped,  ///< by who runs it: likewise
  not_started,
};

struct program_ending {
  program_end how = program_end::exited;
  int code = 0; ///< exit code, signal, or errno
  std::string output;
  std::string complaints; ///< the end of standard error
};

/// Runs it in a process group of its own, which has no descriptor but its three
/// and ends with the program, with its time, or with the thread that waits
/// here. Blocks.
program_ending run_program(const program_request& x);

} // namespace depositd::exec
