#include "adapters/doors/kit/login_cache.hpp"

#include <sodium.h>

namespace depositd::kit {

namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// With its length in front, so that no two logins read the same.
void add(crypto_generichash_state& to, std::string_view text) {
  const auto length = std::to_string(text.size()) + ':';
  crypto_generichash_update(&to, bytes_of(length), length.size());
  crypto_generichash_update(&to, bytes_of(text), text.size());
}

} // namespace

login_cache::login_cache() : key_(crypto_generichash_KEYBYTES, '\0') {
  // It aborts the program if the machine has no randomness to give.
  if (sodium_init() >= 0)
    randombytes_buf(key_.data(), key_.size());
}

std::string login_cache::digest(std::string_view user, std::string_view hash,
                                std::string_view password) const {
  std::string out(crypto_generichash_BYTES, '\0');
  crypto_generichash_state state;
  crypto_generichash_init(&state, bytes_of(key_), key_.size(), out.size());
  add(state, user);
  add(state, hash);
  add(state, password);
  crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(out.data()),
                           out.size());
  return out;
}

void login_cache::remember(std::string digest) {
  if (known_.size() >= entries_max)
    known_.clear();
  known_.insert(std::move(digest));
}

} // namespace depositd::kit
