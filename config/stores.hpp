#pragma once

#include "config/settings.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/ports/projection_store.hpp"

#include <memory>

namespace depositd {

/// Everything durable, as the settings choose it. Outlives all actors.
struct stores {
  std::unique_ptr<journal_store> journal;
  std::unique_ptr<projection_store> projection;
  std::shared_ptr<blob_store> blobs;       ///< handlers hold it too
  std::shared_ptr<doi_registry> registry;  ///< handlers hold it too
};

/// Opens the stores of `store.kind`. The embedded ones live in the data folder:
/// journal/, projection.db, blobs/, registry.db. With postgres all of
/// them are on the server. The error names the part.
caf::expected<stores> open_stores(const depositd_settings& settings);

} // namespace depositd
