#pragma once

// The one grammar of depositctl: a call from the system's shell and a line
// typed at the prompt are read by the same tree.

#include "adapters/shell/invocation.hpp"

#include <string>
#include <vector>

namespace depositd::shell {

/// Words of a call, without the program's name; may name the engine.
understood read_call(const std::vector<std::string>& words);

/// Words of a line at the prompt.
understood read_line(const std::vector<std::string>& words);

/// What may stand at one place of a line.
struct expectation {
  std::vector<std::string> words; ///< commands and options
  bool queues = false;            ///< or the name of a queue
  bool users = false;
  bool processors = false;
  bool files = false;
};

/// What may follow these whole words.
expectation expected_after(const std::vector<std::string>& words);

} // namespace depositd::shell
