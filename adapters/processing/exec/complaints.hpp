#pragma once

// What a program says when something goes wrong.

#include <cstddef>
#include <string>
#include <string_view>

namespace depositd::exec {

inline constexpr std::size_t note_bytes_max = 1'000;

/// The last lines of what a program complained about on one line, fit to be
/// shown: UTF-8 without control characters.
std::string note_of(std::string_view complaints);

} // namespace depositd::exec
