#include "adapters/doors/kit/passwords.hpp"

#include "messages/values/password_hash.hpp"

#include <sodium.h>

namespace depositd::kit {

namespace {

/// What unknown users are checked against, so that they take as long.
const std::string& nobodys_hash() {
  static const std::string hash = hash_of_password("nobody");
  return hash;
}

bool matches(const std::string& hash, const std::string& password) {
  return crypto_pwhash_str_verify(hash.c_str(), password.data(),
                                  password.size())
         == 0;
}

} // namespace

bool is_right_password(const std::string& hash, const std::string& password) {
  if (password.size() > password_bytes_max)
    return false;
  if (!hash.empty())
    return matches(hash, password);
  matches(nobodys_hash(), password);
  return false;
}

std::string hash_of_password(const std::string& password) {
  char out[crypto_pwhash_STRBYTES] = {};
  if (sodium_init() < 0
      || crypto_pwhash_str(out, password.data(), password.size(),
                           password_hash_passes, password_hash_memory_bytes)
           != 0)
    return {};
  return out;
}

void prepare_passwords() {
  if (sodium_init() >= 0)
    nobodys_hash();
}

} // namespace depositd::kit
