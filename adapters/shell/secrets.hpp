#pragma once

// Passwords and API keys go no further than this process: only hashes and
// digests travel.

#include "adapters/shell/connection.hpp"
#include "adapters/shell/terminal.hpp"

#include "messages/values/errors.hpp"

#include <string>

namespace depositd::shell {

/// The first line of standard input; from a person it is asked for unseen, and
/// twice. `ec::invalid_argument` for an empty, too long or mistyped one.
caf::expected<std::string> read_password(terminal& where);

/// The password that an operator signs in with: asked for unseen, once, or the
/// first line of standard input. `ec::invalid_argument` for an empty one.
caf::expected<std::string> read_own_password(terminal& where);

/// "NAME:PASSWORD", the first line of a file that nobody else can read.
/// `ec::bad_setting` with the file's name.
caf::expected<operator_token> read_token(const std::string& file);

/// Argon2id in its text form, with the parameters of
/// messages/password_hash.hpp. Takes some 20 MiB and tens of milliseconds.
caf::expected<std::string> hash_password(const std::string& password);

/// A key that the engine needs as it is; read like a password.
caf::expected<std::string> read_key_text(terminal& where);

/// 256 random bits in hexadecimal. `ec::overloaded` without a source of them.
caf::expected<std::string> make_api_key();

/// Read like a password. `ec::invalid_argument` for what is not 16 to 256
/// printable characters of ASCII without blanks.
caf::expected<std::string> read_api_key(terminal& where);

/// SHA-256 in lower case hexadecimal, as doors compare it.
std::string digest_of_api_key(const std::string& key);

} // namespace depositd::shell
