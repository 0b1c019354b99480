#pragma once

// The engine's side of what joined nodes ask: the real stores.

#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/inventory.hpp"
#include "messages/ports/minter.hpp"
#include "messages/stores.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace depositd::node {

/// Blobs in pieces; each is read from the store once. Safe to use from any
/// thread.
class blob_pieces {
public:
  explicit blob_pieces(std::shared_ptr<blob_store> blobs);

  /// The store's own error, or `ec::invalid_argument` beyond the blob's end.
  caf::expected<blob_piece> read(const read_blob& x);

private:
  using blob = std::shared_ptr<const std::string>;

  caf::expected<blob> find(const std::string& sha256);
  void keep(const std::string& sha256, const blob& bytes);

  std::shared_ptr<blob_store> blobs_;
  std::mutex guard_;
  /// Those that a reader is in the middle of, the oldest first.
  std::list<std::pair<std::string, blob>> begun_;
};

/// What all servers of an engine share.
struct served_stores {
  std::shared_ptr<blob_store> blobs;
  std::shared_ptr<doi_registry> registry;
  std::shared_ptr<blob_pieces> pieces; ///< of `blobs`
  /// Null: `ec::draining` to whoever asks for them.
  std::shared_ptr<depositd::inventory> inventory = {};
  std::shared_ptr<depositd::minter> minter = {};
  /// The time that locks are judged by, as nodes need not agree about it; null:
  /// whoever asks says.
  std::function<micros()> now = {};
};

/// Asks the stores for nodes that have joined; several of them may share the
/// work. Blocks: must be detached.
store_server_actor::behavior_type store_server(store_server_actor::pointer self,
                                               served_stores stores);

} // namespace depositd::node
