#pragma once

// `depositctl manifest check FILE`: judges a manifest before it is submitted,
// by what the engine would say of it. Needs no engine.

#include <optional>
#include <string>
#include <vector>

namespace depositd {

/// Exit code of the call, which prints what it has to say: 0 it is good, 1 it
/// is not, with line and reason, 2 wrong usage. Nothing if the words are those
/// of another command.
std::optional<int> check_manifest(const std::vector<std::string>& words);

} // namespace depositd
