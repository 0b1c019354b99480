#pragma once

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/s3/client.hpp"
#include "config/settings.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/ports/projection_store.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/sharding.hpp"

#include <functional>
#include <memory>

namespace depositd {

/// What the client of a bucket is told.
s3::client_options s3_options_of(const s3_settings& settings);

/// Everything durable, as the settings choose it. Outlives all actors.
struct stores {
  unique_fd lock; ///< of a data folder with several shards
  std::unique_ptr<journal_store> journal;
  std::unique_ptr<projection_store> projection;
  std::shared_ptr<blob_store> blobs;       ///< handlers hold it too
  std::shared_ptr<doi_registry> registry;  ///< handlers hold it too
};

/// Journal and tables of one shard.
struct shard_stores {
  std::unique_ptr<journal_store> journal;
  std::unique_ptr<projection_store> projection;
  engine_clock clock = engine_clock::system(); ///< of all who share them
};

/// What all shards share, on a server or in the data folder: blobs and
/// registry. The folder is this engine's alone until they are destroyed, and
/// has as many shards for ever as it was begun with: `ec::bad_setting` for any
/// other number.
/// `stopped` breaks off what a bucket of blobs is slow with, as
/// `client_options::stopped` does.
caf::expected<stores> open_shared_stores(const depositd_settings& settings,
                                         const std::function<bool()>& stopped);

/// The rest, of one shard: on a server under the epoch of its lease, else in
/// shards/NUMBER/ of the data folder.
caf::expected<shard_stores> open_shard_stores(const depositd_settings& settings,
                                              shard_number shard,
                                              epoch_number epoch);

/// Opens the stores of `store.kind`. The embedded ones live in the data folder:
/// journal/, projection.db, blobs/, registry.db. With postgres all of
/// them are on the server. The error names the part. `stopped` as above.
caf::expected<stores> open_stores(const depositd_settings& settings,
                                  const std::function<bool()>& stopped);

/// Whether the brokers are those that the store counts on; it remembers them if
/// it did not know any. `ec::bad_setting`: they are not; `ec::store_failed`:
/// none of them has answered, or the store has not.
caf::error agree_on_brokers(const depositd_settings& settings);

} // namespace depositd
