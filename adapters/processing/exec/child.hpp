#pragma once

// The moment between two programs.

#include "adapters/stores/files/file.hpp"
#include "messages/values/errors.hpp"

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace depositd::exec {

struct child_plan {
  std::string program; ///< its file
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::filesystem::path folder;
};

/// A program that runs, and our ends of its pipes, which do not block. Whoever
/// has it must wait for it.
struct child {
  pid_t id = -1;   ///< of the process, and of its group
  unique_fd ended; ///< can be read once it has
  unique_fd input;
  unique_fd output;
  unique_fd complaints;
  int failure = 0; ///< errno: there is none
};

/// The file of a program that is named with or without its folder; empty if
/// there is none.
std::string find_program(const std::string& name);

child start_child(const child_plan& plan);

} // namespace depositd::exec
