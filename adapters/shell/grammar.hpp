#pragma once

// The one grammar of depositctl, made from the engine's table of commands: a
// call from the system's shell and a line typed at the prompt are read by the
// same tree.

#include "adapters/shell/invocation.hpp"

#include "messages/values/errors.hpp"

#include <set>
#include <string>
#include <vector>

namespace depositd::shell {

/// Where the words of a call say the engine is. `ec::invalid_argument`.
caf::expected<connection_words>
read_connection(const std::vector<std::string>& words);

/// Words of a call, without the program's name; may name the engine.
understood read_call(const command_table& commands,
                     const std::vector<std::string>& words);

/// Words of a line at the prompt.
understood read_line(const command_table& commands,
                     const std::vector<std::string>& words);

/// Why no grammar can be made from a table that somebody published.
/// `ec::malformed`.
caf::error check(const command_table& commands);

/// What may stand at one place of a line.
struct expectation {
  std::vector<std::string> words;   ///< commands, options, words of arguments
  std::set<std::string> name_lists; ///< commands that list names for it
  bool files = false;
};

/// What may follow these whole words.
expectation expected_after(const command_table& commands,
                           const std::vector<std::string>& words);

} // namespace depositd::shell
