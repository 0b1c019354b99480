#include "adapters/doors/crossref/worker.hpp"

#include "messages/values/password_hash.hpp"

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

bool is_right(const check_login& x) {
  if (x.password.size() > password_bytes_max)
    return false;
  if (!x.hash.empty())
    return matches(x.hash, x.password);
  matches(nobodys_hash(), x.password);
  return false;
}

} // namespace

door_worker_actor::behavior_type
door_worker(door_worker_actor::pointer, std::shared_ptr<blob_store> blobs) {
  // The first unknown user must not take longer than the second.
  if (sodium_init() >= 0)
    nobodys_hash();
  return {
    [](const check_login& x) -> caf::result<login_checked> {
      return login_checked{is_right(x)};
    },
    [=](const keep_blob& x) -> caf::result<blob_kept> {
      auto sha256 = blobs->put(*x.bytes);
      if (!sha256)
        return std::move(sha256.error());
      return blob_kept{std::move(*sha256)};
    },
    [=](const fetch_blob& x) -> caf::result<blob_fetched> {
      auto bytes = blobs->get(x.sha256);
      if (!bytes)
        return std::move(bytes.error());
      return blob_fetched{std::move(*bytes)};
    },
  };
}

} // namespace depositd::crossref
