#pragma once

// API keys go no further than this process: only digests travel.

#include "adapters/shell/terminal.hpp"

#include "messages/values/errors.hpp"

#include <string>

namespace depositd::shell {

inline constexpr std::size_t api_key_bytes_min = 16;
inline constexpr std::size_t api_key_bytes_max = 256;

/// 256 random bits in hexadecimal. `ec::overloaded` without a source of them.
caf::expected<std::string> make_api_key();

/// The first line of standard input; from a person it is asked for unseen, and
/// twice. `ec::invalid_argument` if it is too short, too long, or not printable
/// ASCII without blanks.
caf::expected<std::string> read_api_key(terminal& where);

/// SHA-256 in lower case hexadecimal, as doors compare it.
std::string digest_of_api_key(const std::string& key);

/// The engine's document with the key in it, for the one time it is shown.
std::string with_api_key(const std::string& document, const std::string& key);

} // namespace depositd::shell
