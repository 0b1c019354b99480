#pragma once

// Bags below a prefix of a bucket.

#include "adapters/stores/s3/client.hpp"
#include "messages/ports/receiving_place.hpp"

#include <memory>

namespace depositd {

/// Objects in "folders" below the prefix are no bags. `ec::store_failed` if the
/// bucket is not there or not ours, or if the server is out of reach.
caf::expected<std::unique_ptr<receiving_place>>
open_s3_receiving(s3::client_options options);

} // namespace depositd
