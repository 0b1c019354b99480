#pragma once

// The one form in which passwords are kept and travel: Argon2id with these
// parameters. Whoever makes a hash uses them; whoever accepts one checks them,
// because a hash with greed for memory would cost the engine at every login.

#include <cstddef>
#include <string_view>

namespace depositd {

inline constexpr unsigned long long password_hash_passes = 2;
inline constexpr std::size_t password_hash_memory_bytes = 19 * 1024 * 1024;

/// Passwords longer than this are refused.
inline constexpr std::size_t password_bytes_max = 1024;

/// Whether the text is such a hash in its usual form:
/// $argon2id$v=19$m=19456,t=2,p=1$SALT$HASH.
bool legal_password_hash(std::string_view hash) noexcept;

} // namespace depositd
