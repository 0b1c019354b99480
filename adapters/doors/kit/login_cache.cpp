#include "adapters/doors/kit/login_cache.hpp"

#include <algorithm>

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

bool login_cache::knows(const std::string& digest,
                        const std::string& peer) const {
  const auto at = known_.find(digest);
  return at != known_.end()
         && std::find(at->second.begin(), at->second.end(), peer)
              != at->second.end();
}

void login_cache::remember(const std::string& digest, const std::string& peer) {
  if (knows(digest, peer))
    return;
  if (known_.size() >= entries_max && !knows(digest))
    known_.clear();
  auto& peers = known_[digest];
  if (peers.size() == peers_max)
    peers.erase(peers.begin());
  peers.push_back(peer);
}

} // namespace depositd::kit
