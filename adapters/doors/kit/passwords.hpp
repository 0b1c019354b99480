#pragma once

// Whether a password is the one that a hash was made of.

#include <string>

namespace depositd::kit {

/// Argon2id: some 20 MiB and tens of milliseconds. An empty hash (nobody of
/// that name) takes as long as any and is never right.
bool is_right_password(const std::string& hash, const std::string& password);

/// A new one of a password; empty without the memory for it.
std::string hash_of_password(const std::string& password);

/// Makes what nobody's password is checked against, before anybody waits.
void prepare_passwords();

} // namespace depositd::kit
