#include "adapters/doors/accounts/worker.hpp"

#include "adapters/doors/kit/passwords.hpp"

namespace depositd::accounts {

worker_actor::behavior_type worker(worker_actor::pointer,
                                   std::shared_ptr<blob_store> blobs) {
  // The first unknown user must not take longer than the second.
  kit::prepare_passwords();
  return {
    [](const check_login& x) -> caf::result<login_checked> {
      return login_checked{kit::is_right_password(x.hash, x.password)};
    },
    [=](const keep_blob& x) -> caf::result<blob_kept> {
      auto sha256 = blobs->put(x.bytes);
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

} // namespace depositd::accounts
