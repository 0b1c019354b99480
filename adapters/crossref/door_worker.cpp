#include "adapters/crossref/door_worker.hpp"

#include "messages/password_hash.hpp"

#include <sodium.h>

namespace depositd::crossref {

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

bool check(login_cache& logins, const check_login& x) {
  if (x.password.size() > password_bytes_max)
    return false;
  if (x.hash.empty()) {
    matches(nobodys_hash(), x.password);
    return false;
  }
  if (logins.knows(x.hash, x.password))
    return true;
  if (!matches(x.hash, x.password))
    return false;
  logins.remember(x.hash, x.password);
  return true;
}

} // namespace

login_cache::login_cache() : key_(crypto_generichash_KEYBYTES, '\0') {
  // Fails only if no randomness can be had; then nothing is remembered twice
  // alike and every login is checked in full.
  if (sodium_init() >= 0)
    randombytes_buf(key_.data(), key_.size());
}

std::string login_cache::digest(const std::string& hash,
                                const std::string& password) const {
  std::string out(crypto_generichash_BYTES, '\0');
  const auto text = hash + '\n' + password;
  crypto_generichash(reinterpret_cast<unsigned char*>(out.data()), out.size(),
                     reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(),
                     reinterpret_cast<const unsigned char*>(key_.data()),
                     key_.size());
  return out;
}

bool login_cache::knows(const std::string& hash,
                        const std::string& password) const {
  return known_.count(digest(hash, password)) > 0;
}

void login_cache::remember(const std::string& hash,
                           const std::string& password) {
  if (known_.size() >= entries_max)
    known_.clear();
  known_.emplace(digest(hash, password), true);
}

door_worker_actor::behavior_type
door_worker(door_worker_actor::stateful_pointer<door_worker_state> self,
            std::shared_ptr<blob_store> blobs) {
  self->state.blobs = std::move(blobs);
  return {
    [=](const check_login& x) -> caf::result<login_checked> {
      return login_checked{check(self->state.logins, x)};
    },
    [=](const keep_blob& x) -> caf::result<blob_kept> {
      auto sha256 = self->state.blobs->put(*x.bytes);
      if (!sha256)
        return std::move(sha256.error());
      return blob_kept{std::move(*sha256)};
    },
    [=](const fetch_blob& x) -> caf::result<blob_fetched> {
      auto bytes = self->state.blobs->get(x.sha256);
      if (!bytes)
        return std::move(bytes.error());
      return blob_fetched{std::move(*bytes)};
    },
  };
}

} // namespace depositd::crossref
