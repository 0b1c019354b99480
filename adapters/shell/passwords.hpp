#pragma once

// Passwords go no further than this process: only hashes travel.

#include "adapters/shell/terminal.hpp"

#include "messages/values/errors.hpp"

#include <string>

namespace depositd::shell {

/// The first line of standard input; from a person it is asked for unseen, and
/// twice. `ec::invalid_argument` for an empty, too long or mistyped one. `what`
/// is what people call it.
caf::expected<std::string> read_secret(terminal& where, const char* what);
caf::expected<std::string> read_password(terminal& where);

/// Argon2id in its text form, with the parameters of
/// messages/password_hash.hpp. Takes some 20 MiB and tens of milliseconds.
caf::expected<std::string> hash_password(const std::string& password);

} // namespace depositd::shell
