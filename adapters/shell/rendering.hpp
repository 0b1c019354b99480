#pragma once

// Documents of the engine as text for people.

#include <string>

namespace depositd::shell {

/// Lines for the answer to a command. Whatever the document looks like, this
/// prints something and never anything a terminal obeys.
std::string rendered(const std::string& command, const std::string& document);

} // namespace depositd::shell
