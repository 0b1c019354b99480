#pragma once

#include "messages/values/password_hash.hpp"

#include <stdexcept>
#include <string>

#include <sodium.h>

namespace depositd::testing {

/// Argon2id as the shell makes it.
inline std::string hash_of(const std::string& password) {
  char out[crypto_pwhash_STRBYTES];
  if (sodium_init() < 0
      || crypto_pwhash_str(out, password.data(), password.size(),
                           password_hash_passes, password_hash_memory_bytes)
           != 0)
    throw std::runtime_error("no memory for a password hash");
  return out;
}

} // namespace depositd::testing
