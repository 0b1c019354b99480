#pragma once

// A typed line as words (`split_words`), and a word as names.

#include "messages/values/split_words.hpp"

#include <string>
#include <vector>

namespace depositd::shell {

/// "a,b c" as names: what is between commas and blanks. Empty ones vanish.
std::vector<std::string> split_names(const std::vector<std::string>& texts);

} // namespace depositd::shell
