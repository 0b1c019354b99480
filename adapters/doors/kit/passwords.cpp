#include "adapters/doors/kit/passwords.hpp"

#include "messages/values/password_hash.hpp"

#include <sodium.h>

namespace depositd::kit {

namespace {

/// What unknown users are checked against, so that they take as long.
const std::string& nobodys_hash() {
  static const std::string hash = [] {
    char out[crypto_pwhash_STRBYTES] = {};
    const std::string nobody = "nobody";
    if (crypto_pwhash_str(out, nobody.data(), nobody.size(),
                          password_hash_passes, password_hash_memory_bytes)
        != 0)
      out[0] = '\0';
    return std::string{out};
  }();
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

void prepare_passwords() {
  if (sodium_init() >= 0)
    nobodys_hash();
}

} // namespace depositd::kit
